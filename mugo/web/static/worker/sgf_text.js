// A file of game records -> the text of its games and their nodes: mugo/sgf/encoding.py, collection.py and nodes.py.

import { BadInput } from "./errors.js";

// ---- the character set

const MARKS = [[[0xEF, 0xBB, 0xBF], "utf-8"], [[0xFF, 0xFE], "utf-16le"], [[0xFE, 0xFF], "utf-16be"], [[0x28, 0, 0x3B, 0], "utf-16le"],
  [[0, 0x28, 0, 0x3B], "utf-16be"]];
const LATIN = /^(ascii|us-ascii|iso-?8859-?1|iso_8859-1|latin-?1|l1|cp1252|windows-1252)$/i;
const SUPERSETS = { gb2312: "gb18030", gbk: "gb18030", "big5-hkscs": "big5", cp932: "shift_jis", cp949: "euc-kr",
  cp950: "big5", cp936: "gb18030" };
const SAMPLE = 100_000;
const latin1 = (bytes) => new TextDecoder("latin1").decode(bytes);

/** The text of a file in any of the usual encodings. */
export function decodeText(bytes, facts) {
  for (const [mark, encoding] of MARKS) if (mark.every((byte, i) =>
    bytes[i] === byte)) return new TextDecoder(encoding).decode(bytes);
  const utf8 = utf8Text(bytes);
  if (utf8 !== null) return utf8;
  const raw = latin1(bytes);
  const declared = /CA\s{0,9}\[\s{0,9}([A-Za-z0-9_.:-]{1,40})\s{0,9}\]/.exec(raw)?.[1].toLowerCase();
  const decoder = declared && !LATIN.test(declared) ? decoderOf(declared) : null;
  if (decoder) return decoder.decode(bytes);
  const damaged = (raw.match(/[\xc2-\xdf][\x80-\xbf?]|[\xe0-\xef][\x80-\xbf?]{2}|[\xf0-\xf4][\x80-\xbf?]{3}/g) ?? []).join(" ");
  const isDamaged = 2 * countNotAscii(damaged) >= countNotAscii(raw) && Math.max(...Object.values(sharesOf(bytes, facts))) < 0.8;
  if (isDamaged) return new TextDecoder().decode(bytes);
  return new TextDecoder(guessedCodec(bytes, declared ? "windows-1252" : "gb18030", facts)).decode(bytes);
}

export function utf8Text(bytes) {
  try { return new TextDecoder("utf-8", { fatal: true }).decode(bytes); } catch { return null; }
}

function decoderOf(name) {
  try { return new TextDecoder(SUPERSETS[name] ?? name.replaceAll("_", "-")); } catch { return null; }
}

const countNotAscii = (text) => (text.match(/[^\x00-\x7f]/g) ?? []).length;

/** The codec of a text that is not UTF-8 and names no character set. */
export function guessedCodec(bytes, otherwise, facts) {
  const raw = latin1(bytes.subarray(0, SAMPLE));
  const { "euc-kr": korean, ...shares } = sharesOf(bytes, facts);
  if (korean >= 0.6) return "euc-kr";
  const [best, most] = Object.entries(shares).reduce((a, b) => (b[1] > a[1] ? b : a));
  if (most >= 0.8) return best;
  const lone = raw.match(/(?<![^\x00-\x7f])[^\x00-\x9f\u0100-\uffff](?![^\x00-\x7f]|[@[\\^_`{|}~])/g) ?? [];
  if (2 * lone.length >= countNotAscii(raw)) return "windows-1252";
  return most >= 0.5 ? best : otherwise;
}

/** Of each Asian codec, `share`. */
function sharesOf(bytes, facts) {
  const sample = bytes.subarray(0, SAMPLE);
  const of = ([name, leads]) => { const codec = SUPERSETS[name]
    ?? name; return [codec, share(sample, codec, usualLetters(codec, leads))]; };
  return Object.fromEntries([...Object.entries(facts.sgf.usual_leads).map(of), ["euc-kr", share(sample, "euc-kr",
    new Set(facts.sgf.usual_hangul))]]);
}

function usualLetters(codec, leads) {
  const letters = new Set(), decoder = new TextDecoder(codec);
  for (const lead of leads) {
    for (let trail = codec === "gb18030" ? 0xA1
      : 0x40; trail < 0xFF; trail += 1) letters.add(decoder.decode(Uint8Array.of(lead, trail)));
  }
  return letters;
}

/** The share of usual letters among those outside ASCII; a letter next to one of ASCII does not count as usual. */
function share(bytes, codec, usual) {
  const text = new TextDecoder(codec).decode(bytes);
  let [letters, found] = [0, 0];
  for (const match of text.matchAll(/[^\x00-\x7f\u3000-\u303f\uff00-\uff60·]/g)) {
    letters += 1;
    const isLatin = (at) => /^[A-Za-z]$/.test(text[at] ?? "");
    if (usual.has(match[0]) && !isLatin(match.index - 1) && !isLatin(match.index + 1)) found += 1;
  }
  return letters ? found / letters : 0;
}

// ---- the games of a collection

const VALUE = String.raw`\[[^\\\]]*(?:\\[\s\S][^\\\]]*)*\]`;
const GAME_START = /\(\s*;/g;
const ROOT_NODE = /(?<=[\r\n)])[ \t]{0,9}\(\s{0,9};\s{0,9}(?:FF|GM|CA|AP|SZ)\s{0,9}\[[^\\\]]{0,40}\]/g;
const NODE_START = /;\s{0,9}[A-Za-z]{1,20}\s{0,9}\[/;
const UP_TO_BRACKET = new RegExp(String.raw`([^()[]*(?:${VALUE}[^()[]*)*)([()])`, "y");
const CUT_OFF = "the game is truncated: its brackets are never closed";

/** Each game: { line, whole, isCutOff }, or { error } in its place. */
export function splitGames(text) {
  const start = text.trimStart();
  if (start.search(NODE_START) === 0) text = `(${text}`;
  else if (/^\(\s{0,9}(?=[A-Z]{2}\s{0,9}\[)/.test(start)) text = start.replace(/^\(\s{0,9}/, "(;");
  const bounds = [0, ...Array.from(text.matchAll(ROOT_NODE), (match) => match.index), text.length];
  return bounds.slice(0, -1).flatMap((from, i) => gamesOf(text.slice(from, bounds[i + 1])));
}

function gamesOf(text) {
  const found = [];
  let position = 0;
  for (;;) {
    GAME_START.lastIndex = position;
    const begin = GAME_START.exec(text)?.index;
    if (begin === undefined) return found;
    if (NODE_START.test(text.slice(position, begin)))
      return [...found, { error: "a variation outside any game: one ')' too many" }];
    try {
      const { line, end } = mainLine(text, begin);
      found.push({ line, whole: text.slice(begin, end), isCutOff: false });
      position = end;
    } catch (error) {
      const closed = error.message === CUT_OFF ? closedText(text.slice(begin)) : "";
      return [...found, closed ? closedGame(closed) : { error: error.message }];
    }
  }
}

function closedGame(text) {
  try { return { line: mainLine(text, 0).line, whole: text, isCutOff: true }; } catch (error) { return { error: error.message }; }
}

/** The text of a game whose end is missing up to its last complete value or variation, with the brackets that close it. */
function closedText(text) {
  let [depth, end, depthAtEnd] = [0, 0, 0];
  for (const match of text.matchAll(new RegExp(`${VALUE}|[()[]`, "g"))) {
    const [mark] = match;
    if (mark === "[") break;
    depth += Number(mark === "(") - Number(mark === ")");
    if (mark !== "(") [end, depthAtEnd] = [match.index + mark.length, depth];
  }
  return end ? text.slice(0, end) + ")".repeat(depthAtEnd) : "";
}

function mainLine(text, start) {
  let [depth, hasVariations, leaf, position] = [0, false, null, start];
  for (;;) {
    UP_TO_BRACKET.lastIndex = position;
    const match = UP_TO_BRACKET.exec(text);
    if (!match) throw new BadInput(CUT_OFF);
    if (text[position - 1] === ")" && match[1].trim()) throw new BadInput("nodes follow a variation that is already closed");
    position = UP_TO_BRACKET.lastIndex;
    if (match[2] === "(") {
      depth += 1;
      hasVariations ||= depth > 1;
    } else {
      depth -= 1;
      leaf ??= position;
      if (depth === 0) break;
    }
  }
  const line = text.slice(start, leaf);
  return { line: hasVariations ? `(${line.slice(1).replaceAll(new RegExp(`(${VALUE})|\\(`, "g"), "$1")}` : line, end: position };
}

// ---- nodes

const NODE = /\s*(;)(?:([BW])\[([A-Za-z]{0,2})\](?=\s*[;()]))?/y;
const TOKEN = /\s*(?:\[([^\\\]]*(?:\\[\s\S][^\\\]]*)*)\]|([A-Za-z]{1,64})|([()])|\])/y;

/** The nodes of the game with which a text begins, { parent, properties: Map }, in the order of the file. */
export function parseGame(text, most = Infinity) {
  const nodes = [], parents = [];
  let [current, mayBegin, properties, values, isEmpty, position] = [-1, false, null, null, false, 0];
  for (;;) {
    NODE.lastIndex = position;
    const node = NODE.exec(text);
    TOKEN.lastIndex = position;
    const token = node ? null : TOKEN.exec(text);
    if (!node && !token) break;
    position = node ? NODE.lastIndex : TOKEN.lastIndex;
    if (node) {
      if (isEmpty) throw new BadInput("property with no values");
      if (!mayBegin) throw new BadInput("unexpected node");
      if (nodes.length === most) return nodes;
      properties = new Map(node[2] === undefined ? [] : [[node[2], [node[3]]]]);
      values = null;
      nodes.push({ parent: current, properties });
      current = nodes.length - 1;
      continue;
    }
    const [, value, ident, mark] = token;
    if (value === undefined && ident === undefined && mark === undefined) continue;        // a stray bracket
    if (value !== undefined) {
      if (!values) throw new BadInput("unexpected value");
      values.push(value);
      isEmpty = false;
    } else if (isEmpty) {
      throw new BadInput("property with no values");
    } else if (ident !== undefined) {
      if (!properties) throw new BadInput("property value outside a node");
      const name = ident.replaceAll(/[a-z]/g, "") || ident;
      if (!properties.has(name)) properties.set(name, []);
      values = properties.get(name);
      isEmpty = true;
    } else if (mayBegin && !properties) {
      throw new BadInput("empty sequence");
    } else {
      mayBegin = mark === "(";
      [properties, values] = [null, null];
      if (mayBegin) {
        parents.push(current);
        continue;
      }
      if (!parents.length) throw new BadInput("a bracket that closes nothing");
      current = parents.pop();
      if (!parents.length) return nodes;
    }
  }
  const rest = text.slice(position).trimStart()[0] ?? "";
  throw new BadInput(rest === "" || rest === "[" ? "unexpected end of SGF data" : `unexpected '${rest}'`);
}

/** The nodes, with those that have several moves as a line of nodes with a move each. */
export function oneMoveEach(nodes) {
  const moved = [], last = [-1];
  for (const { parent, properties } of nodes) {
    const moves = [...properties].flatMap(([ident, values]) => (ident === "B"
      || ident === "W" ? values.map((value) => [ident, value]) : []));
    const kept = moves.length > 1 ? new Map([...properties].filter(([ident]) => ident === moves[0][0] || !"BW".includes(ident))
      .map(([ident, values]) => [ident, ident === moves[0][0] ? [moves[0][1]] : values])) : properties;
    moved.push({ parent: last[parent + 1], properties: kept });
    for (const [letter, value] of moves.slice(1)) moved.push({ parent: moved.length - 1,
      properties: new Map([[letter, [value]]]) });
    last.push(moved.length - 1);
  }
  return moved;
}

export const formatProperties = (properties) =>
  [...properties].map(([ident, values]) => ident + values.map((value) => `[${value}]`).join("")).join("");

/** The tree as SGF text, for parseGame. */
export function formatNodes(nodes) {
  const children = nodes.map(() => []);
  nodes.forEach(({ parent }, i) => { if (parent >= 0) children[parent].push(i); });
  let text = "";
  const stack = [0];
  while (stack.length) {
    const i = stack.pop();
    if (i < 0) { text += ")"; continue; }
    const hasBrackets = !i || children[nodes[i].parent].length > 1;
    if (hasBrackets) stack.push(-1);
    text += `${hasBrackets ? "(" : ""};${formatProperties(nodes[i].properties)}`;
    stack.push(...children[i].toReversed());
  }
  return text;
}

// ---- values

/** A raw value as text; simple: line breaks become blanks. */
export function textValue(raw, isSimple = false) {
  const text = raw.replaceAll(/\n\r|\r\n|\n|\r/g, "\n").replaceAll(/[\t\f\v]/g, " ").replaceAll(/\\([\s\S])/g,
    (_, letter) => (letter === "\n" ? "" : `\0${letter}`));
  return (isSimple ? text.replaceAll(/(?<!\0)\n/g, " ") : text).replaceAll("\0", "");
}

export const escapedValue = (text) => text.replaceAll("\\", "\\\\").replaceAll("]", "\\]");
