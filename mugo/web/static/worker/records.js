// Records in other formats -> SGF text: mugo/sgf/gib.py, ngf.py and ugf.py, whose docstrings describe the formats.

import { fixedHandicap, formatSgf, pointAt } from "./coords.js";
import { BadInput, quoted } from "./errors.js";
import { formatPoints } from "./position.js";
import { escapedValue, formatNodes, guessedCodec, utf8Text } from "./sgf_text.js";
import { interpretDate, interpretResult, pointsIn } from "./sgf_values.js";

const MAX_HANDICAP = 9;

/** The SGF text of a file in another format; null for other files.  Throws BadInput if it is malformed. */
export function recordOf(bytes, facts, mostBytes) {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 4096));
  const read = /^(?:\xef\xbb\xbf)?[ \t\r\n]*\\HS/.test(start) ? readGib
    : !start.slice(0, 2000).includes("(;") && /^[ \t]*PM[A-Z]{2}[BW][A-Z]{2}/m.test(start) ? readNgf
      : /^(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*\[Header\]/i.test(start) ? readUgf : null;
  if (!read) return null;
  if (bytes.length > mostBytes) throw new BadInput(`${bytes.length.toLocaleString("en")} bytes; the limit is ${mostBytes.toLocaleString("en")}`);
  return formatNodes(read(bytes, start, facts));
}

const decode = (bytes, codec) => utf8Text(bytes) ?? new TextDecoder(codec).decode(bytes);
const linesOf = (text) => text.split(/\r\n|\n|\r/);

/** The root of a game of Go.  stones: handicap stones as SGF values; null: two or more stand on the fixed points. */
function rootNode(size, komi, handicap, stones, info) {
  if (!(size >= 2 && size <= 19)) throw new BadInput(`${size}; boards of 2 to 19 are supported`);
  const properties = new Map([["FF", ["4"]], ["GM", ["1"]], ["CA", ["UTF-8"]], ["SZ", [String(size)]]]);
  if (komi !== null) properties.set("KM", [formatPoints(komi)]);
  if (handicap >= 2) properties.set("HA", [String(handicap)]);
  for (const [ident, text] of Object.entries(info)) if (text.trim()) properties.set(ident, [escapedValue(text.trim())]);
  const fixed = () => fixedHandicap([size, size], handicap).map((point) => formatSgf(point, [size, size]));
  const placed = stones ?? (handicap >= 2 ? fixed() : []);
  if (placed.length) properties.set("AB", placed);
  return { parent: -1, properties };
}

const lineOfNodes = (root, moves) => [root,
  ...moves.map(([colour, value], i) => ({ parent: i, properties: new Map([[colour, [value]]]) }))];

function moveValue(col, row, size, place) {
  if (!(col >= 0 && col < size && row >= 0 && row < size))
    throw new BadInput(`${place}: column ${col + 1}, row ${row + 1} of ${size}x${size}`);
  return formatSgf(pointAt(row, col, [size, size]), [size, size]);
}

/** The nodes with these comments, [index, text] each. */
function withComments(nodes, texts) {
  const paragraphs = new Map();
  for (const [index, text] of texts) if (text) paragraphs.set(index, [...(paragraphs.get(index) ?? []), text]);
  for (const [index, of] of paragraphs) nodes[index].properties.set("C", [escapedValue(of.join("\n"))]);
  return nodes;
}

// ---- GIB

const GIB_RESULTS = { 0: ["B", null], 1: ["W", null], 3: ["B", "R"], 4: ["W", "R"], 7: ["B", "T"], 8: ["W", "T"] };

function readGib(bytes, start) {
  const text = decode(bytes, /\\\[GIBOKIND=Korea\b/.test(start) ? "euc-kr" : "gb18030");
  const header = Object.fromEntries(Array.from(text.matchAll(/^\\\[(\w+)=(.*?)\\\]/gm), (match) => match.slice(1)));
  const fields = (name) => Object.fromEntries((header[name] ?? "").split(",").map((part) => {
    const at = part.indexOf(":");
    return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
  }));
  const [main, sub] = [fields("GAMEINFOMAIN"), fields("GAMEINFOSUB")];
  const player = (name) => {
    const match = /^(.*)\((.*)\)\s*$/s.exec(header[name] ?? "");
    return match ? [match[1].trimEnd(), match[2].toLowerCase()] : [header[name] ?? "", ""];
  };
  const [handicap, moves] = gibMoves(text);
  const [black, blackRank] = player("GAMEBLACKNAME"), [white, whiteRank] = player("GAMEWHITENAME");
  const date = /(\d{4})\D{1,3}(\d{1,2})\D{1,3}(\d{1,2})/.exec(header.GAMEDATE || sub.GDATE || "");
  const [mainTime, overtime] = gibTime(main.GTIME ?? "");
  const komi = main.GONGJE ?? header.GAMEGONGJE ?? "";
  const [winner, by] = GIB_RESULTS[main.GRLT] ?? ["", ""];
  const points = /^\d{1,4}$/.test(main.ZIPSU ?? "") && Number(main.ZIPSU) ? String(Number(main.ZIPSU) / 10) : "";
  const root = rootNode(19, /^-?\d{1,4}$/.test(komi) ? Number(komi) / 10 : null, handicap, null, {
    PB: black, BR: blackRank, PW: white, WR: whiteRank, RE: winner ? `${winner}+${by ?? points}` : "", EV: header.GAMENAME ?? "",
    PC: header.GAMEPLACE ?? "", GC: header.GAMECOMMENT ?? "",
      DT: date ? date.slice(1).map((part) => String(Number(part)).padStart(2, "0")).join("-") : "",
    TM: mainTime, OT: overtime });
  return lineOfNodes(root, moves);
}

function gibMoves(text) {
  let handicap = 0;
  const moves = [];
  for (const line of linesOf(text)) {
    const words = line.trim().split(/\s+/);
    if (!["INI", "STO", "SKI"].includes(words[0])) continue;
    const place = `move ${moves.length + 1}: ${quoted(words.slice(0, 6).join(" "))}`;
    const numbers = words.slice(1, 6).map((word) => (/^\d{1,4}$/.test(word) ? Number(word) : -1));
    if (words[0] === "INI") {
      if (numbers.length < 3 || !(numbers[2] >= 0 && numbers[2] <= MAX_HANDICAP) || moves.length) {
        throw new BadInput(`${quoted(words.slice(0, 4).join(" "))}: expected the number of handicap stones, 0 to ${MAX_HANDICAP}, before the first move`);
      }
      [, , handicap] = numbers;
      continue;
    }
    if (numbers.length < (words[0] === "STO" ? 5 : 3) || ![1, 2].includes(numbers[2])) {
      throw new BadInput(`${place}: expected flag, number, colour 1 or 2, column and row`);
    }
    moves.push(["BW"[numbers[2] - 1], words[0] === "SKI" ? "" : moveValue(numbers[3], numbers[4], 19, place)]);
  }
  if (text.slice(text.lastIndexOf("\n") + 1).trimStart().startsWith("STO"))
    throw new BadInput("the file is cut off in its last move");
  return [handicap, moves];
}

/** [main time, overtime] of '1200-30-3', seconds, seconds of a period, periods. */
function gibTime(text) {
  const [, main = "", seconds, periods] = /^(\d{1,6})-(\d{1,6})-(\d{1,6})$/.exec(text) ?? [];
  return [main, Number(seconds) && Number(periods) ? `${periods}x${seconds} byo-yomi` : ""];
}

// ---- NGF

const NGF_MOVE = /^PM[A-Z]{2}[BW][A-Z]{2}/;

function readNgf(bytes, _, facts) {
  const comments = [];
  const text = decode(bytes, guessedCodec(bytes, "gb18030", facts)).replaceAll(/^IDB\[(\d{1,4})\]([\s\S]*?)\[EndTxt\]/gm,
    (__, number, comment) => {
    comments.push([Number(number), comment.trim()]);
    return "";
  });
  const lines = linesOf(text).map((line) => line.trim());
  const first = lines.findIndex((line, i) => i >= 9 && NGF_MOVE.test(line));
  if (first < 0) throw new BadInput("no move after a header of 12 lines");
  const header = lines.slice(0, first);
  const [size, root] = header[0].startsWith("GI") ? otherHeader(header) : ngfHeader(header, facts);
  const moves = [];
  for (const line of lines.slice(first)) {
    if (!line.startsWith("PM")) continue;
    const place = `move ${moves.length + 1}: ${quoted(line.slice(0, 9))}`;
    if (!NGF_MOVE.test(line)) throw new BadInput(`${place}: expected PM, a number, B or W, and two letters`);
    moves.push([line[4], line.slice(5, 7) === "AA" ? ""
      : moveValue(line.charCodeAt(5) - 66, line.charCodeAt(6) - 66, size, place)]);
  }
  return withComments(lineOfNodes(root, moves), comments.map(([number, comment]) => [Math.min(number, moves.length), comment]));

  function numberOf(given, what, most) {
    if (!/^\d{1,3}$/.test(given ?? "") || Number(given) > most)
      throw new BadInput(`${quoted((given ?? "").slice(0, 20))}: expected ${what}, at most ${most}`);
    return Number(given);
  }

  function komiOf(given, handicap) {
    const komi = pointsIn(given ?? "", facts);
    return komi === null ? null : komi + (handicap === 0 && Number.isInteger(komi) ? 0.5 : 0);
  }

  function ngfHeader(of) {
    const board = numberOf(of[1], "the board size", 19), handicap = numberOf(of[5], "the handicap", MAX_HANDICAP);
    const player = (given) => {
      const match = /^([\s\S]*\S)\s+(\d{1,2})([DKPdkp])([Pp]?)(\*?)$/.exec(given);
      return match ? [match[1], match[2] + (match[4] ? "p" : match[3].toLowerCase()) + match[5]] : [given, ""];
    };
    const [white, whiteRank] = player(of[2]), [black, blackRank] = player(of[3]);
    const won = /^(Black|White)\s+(wins|loses)\b/i.exec(of[10] ?? "");
    const winner = won && ((won[1].toLowerCase() === "black") === (won[2].toLowerCase() === "wins") ? "B" : "W");
    const result = won ? interpretResult(`${winner}+${of[10].slice(won[0].length)}`, [board, board], facts) : "";
    return [board, rootNode(board, komiOf(of[7], handicap), handicap, null,
      { PW: white, WR: whiteRank, PB: black, BR: blackRank, EV: of[0], PC: of[4], DT: interpretDate(of[8] ?? ""), RE: result })];
  }

  function otherHeader(of) {
    const fields = of.map((line) => line.replace(/^GI/, ""));
    if (fields.length < 10) throw new BadInput(`${fields.length} lines before the first move; expected 11`);
    const board = numberOf(fields[6], "the board size", 19), handicap = numberOf(fields[7], "the handicap", MAX_HANDICAP);
    const event = [fields[0], fields.slice(1, 3).filter(Boolean).join(" - ")].filter(Boolean).join(": ");
    return [board, rootNode(board, komiOf(fields[9], handicap), handicap, null, { EV: event, DT: interpretDate(fields[5]) })];
  }
}

// ---- UGF

const UGF_CODECS = { SJIS: "shift_jis", EUC: "euc-jp", BIG5: "big5", GB: "gb18030", KSC: "euc-kr" };
const UGF_SECTIONS = ["header", "remote", "files", "data", "figure", "messageline", "reviewnode", "reviewcomment"];

function readUgf(bytes, start, facts) {
  const language = /^\s*Lang=(\w+)/im.exec(start)?.[1].toUpperCase();
  const sections = ugfSections(decode(bytes, UGF_CODECS[language] ?? "shift_jis"));
  const header = Object.fromEntries((sections.header ?? []).filter((line) => line.includes("="))
    .map((line) => [line.slice(0, line.indexOf("=")).trim().toLowerCase(), line.slice(line.indexOf("=") + 1).trim()]));
  const field = (name) => header[name] ?? "";
  if (!/^\d{1,2}$/.test(field("size"))) throw new BadInput(`Size=${field("size").slice(0, 20)}: expected the board size`);
  const size = Number(header.size), isFromBelow = field("coordinatetype").toUpperCase() === "IGS";
  const [hdcp, ...komi] = field("hdcp").split(",");
  if (hdcp && (!/^\d{1,2}$/.test(hdcp) || Number(hdcp) > MAX_HANDICAP)) {
    throw new BadInput(`Hdcp=${hdcp.slice(0, 20)}: expected the handicap stones, at most ${MAX_HANDICAP}`);
  }
  const handicap = Number(hdcp || 0);
  const valueAt = (col, row) => (col >= 0 && col < size && row >= 0 && row < size
    ? moveValue(col, isFromBelow ? size - 1 - row : row, size, "") : "");
  const root = rootNode(size, pointsIn(komi.join(","), facts), handicap, [], ugfInfo());
  const [stones, moves] = ugfMoves();
  if (stones.length) root.properties.set("AB", stones);
  let nodes = lineOfNodes(root, moves), numbers = new Map();
  if (sections.reviewnode) {
    const review = ugfReview(sections.reviewnode, root, valueAt);
    ({ numbers } = review);
    if (review.nodes.length > 1) ({ nodes } = review);
  }
  const line = [0];
  for (let next; (next = nodes.findIndex(({ parent }) => parent === line.at(-1))) > 0;) line.push(next);
  const texts = ugfComments(sections.figure ?? [], ".text,",
    ".endtext").filter(([number]) => number < line.length).map(([number, text]) => [line[number], text]);
  texts.push(...ugfComments(sections.reviewcomment ?? [], ".comment,", null).filter(([number]) => numbers.has(number))
    .map(([number, text]) => [numbers.get(number), text]));
  return withComments(nodes, texts);

  function ugfInfo() {
    const player = (colour) => [...field(`player${colour}`).split(","), "", ""];
    const [black, white] = [player("b"), player("w")];
    const minutes = Number(/^\w;(\d{1,5});/.exec(field("ptime"))?.[1] ?? 0);
    const [winner, rest] = [field("winner").split(",")[0].trim(), field("winner").split(",").slice(1).join(",").trim()];
    const result = ["B", "W"].includes(winner)
      ? interpretResult(`${winner}+${rest[0]?.toUpperCase() === "C" ? "R" : rest}`, [size, size], facts)
      : winner === "D" ? "0" : "";
    return { PB: black[0], BR: black[1], PW: white[0], WR: white[1], RE: result,
      EV: field("title").replaceAll(/^,+|,+$/g, ""), PC: field("place"),
      DT: interpretDate(field("date")), RU: { JPN: "Japanese", CHN: "Chinese" }[field("rule")] ?? field("rule"),
        CP: field("copyright"),
      GC: field("comment"), TM: minutes ? String(60 * minutes) : "" };
  }

  function ugfMoves() {
    const placed = [], played = [];
    for (const each of (sections.data ?? []).filter((text) => text.trim())) {
      const match = /^([A-Z])([A-Z]),([BW])\d*(?:,(\d{1,5}))?/.exec(each.trim().toUpperCase());
      if (!match) throw new BadInput(`move ${played.length + 1}: ${quoted(each.trim().slice(0, 20))}: expected 'QP,B1,1,0'`);
      const value = valueAt(match[1].charCodeAt(0) - 65, match[2].charCodeAt(0) - 65);
      if (match[4] === "0" && match[3] === "B" && !played.length && placed.length < handicap && value) placed.push(value);
      else played.push([match[3], value]);
    }
    return [placed, played];
  }
}

function ugfSections(text) {
  const sections = {};
  let lines = [];
  for (const line of linesOf(text)) {
    const name = /^\s*\[([A-Za-z]{1,40})\]\s*$/.exec(line)?.[1].toLowerCase();
    if (UGF_SECTIONS.includes(name)) lines = sections[name] ??= [];
    else lines.push(line);
  }
  return sections;
}

function ugfComments(lines, begin, end) {
  const comments = [];
  let isOpen = false;
  for (const line of lines) {
    const lower = line.trim().toLowerCase();
    const number = lower.startsWith(begin) ? /^\d{1,6}/.exec(lower.slice(begin.length)) : null;
    if (number) {
      comments.push([Number(number[0]), []]);
      isOpen = true;
    } else if (lower === end) {
      isOpen = false;
    } else if (isOpen) {
      comments.at(-1)[1].push(line.trimEnd());
    }
  }
  return comments.map(([number, text]) => [number, text.join("\n").trim()]);
}

/** The nodes of a review, in the order of a file, and their indices by its numbers. */
function ugfReview(lines, root, valueAt) {
  const nodes = [root], numbers = new Map(), children = [[]], goesOn = new Set(), branches = [];
  let [last, beginsVariation] = [0, false];
  for (const line of lines.map((each) => each.trim())) {
    if (line.startsWith("VARIATIONEND")) {
      if (!branches.length) throw new BadInput("VARIATIONEND without a variation");
      [last, beginsVariation] = [branches.pop(), false];
    } else if (line.startsWith("VARIATION")) {
      branches.push(last);
      beginsVariation = true;
    } else if (line) {
      const match = /^NODE,(\d{1,6}),([0-2]),(\d{1,3}),(\d{1,3})/.exec(line);
      if (!match) throw new BadInput(`${quoted(line.slice(0, 30))}: expected 'NODE,number,colour,column,row'`);
      const [number, colour, col, row] = match.slice(1).map(Number);
      if (colour) {
        if (beginsVariation) {
          children[last].push(nodes.length);
        } else {
          children[last].unshift(nodes.length);
          goesOn.add(last);
        }
        nodes.push({ parent: last, properties: new Map([["BW"[colour - 1], [valueAt(col - 1, row - 1)]]]) });
        children.push([]);
        [last, beginsVariation] = [nodes.length - 1, false];
      }
      numbers.set(number, last);
    }
  }
  const moved = [], newIndex = new Map([[-1, -1]]), stack = [0];
  while (stack.length) {
    const index = stack.pop();
    newIndex.set(index, moved.length);
    moved.push({ parent: newIndex.get(nodes[index].parent), properties: nodes[index].properties });
    if (children[index].length && !goesOn.has(index)) moved.push({ parent: newIndex.get(index), properties: new Map() });
    stack.push(...children[index].toReversed());
  }
  return { nodes: moved, numbers: new Map([...numbers].map(([number, index]) => [number, newIndex.get(index)])) };
}
