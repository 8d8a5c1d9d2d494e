// Opening files of game records: mugo/sgf/tree.py, whose docstring describes the game, and parser.py.

import { BLACK, EMPTY, LETTERS, NAMES, PASS, WHITE, formatGtp, formatMove, formatSize, lastSgfPoint, moveIndex,
  pointOfSgf } from "./coords.js";
import { BadInput, quoted } from "./errors.js";
import { Position } from "./position.js";
import { recordOf } from "./records.js";
import { gameFromPosition } from "./requests.js";
import { parseRecordRules, rulesOf } from "./rules.js";
import { decodeText, formatProperties, oneMoveEach, parseGame, splitGames, textValue } from "./sgf_text.js";
import { interpretDate, interpretHandicap, interpretKomi, interpretResult, interpretRow, propertyText } from "./sgf_values.js";

const SETUP = { AB: BLACK, AW: WHITE, AE: EMPTY };
const MAX_BYTES = 32 << 20, MAX_RECORD_BYTES = 1 << 20;
const KOMI = 7.5;
const MARKS = { [BLACK]: "X", [WHITE]: "O", [EMPTY]: "." };

/** The texts of the games of a file: of sgf_text.splitGames. */
function gamesIn(bytes, facts) {
  if (bytes.length > MAX_BYTES) return [{ error: `${bytes.length.toLocaleString("en")} bytes of SGF; the limit is ${MAX_BYTES.toLocaleString("en")}` }];
  let text;
  try {
    text = recordOf(bytes, facts, MAX_RECORD_BYTES) ?? decodeText(bytes, facts);
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return [{ error: error.message }];
  }
  const games = splitGames(text);
  return games.length ? games : [{ error: "no game found: an SGF game begins with '(;', and it is not GIB, NGF or UGF either" }];
}

/** The games of a file: the fields that each has, or its "error". */
export function listGames(engine, bytes) {
  const { facts } = engine;
  return gamesIn(bytes, facts).slice(0, facts.constants.tree.MAX_LISTED).map((game) => {
    try {
      const record = readRecord(game, facts);
      return Object.fromEntries(facts.sgf.listed.filter((name) => record.texts[name]).map((name) => [name, record.texts[name]]));
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      return { error: error.message };
    }
  });
}

function readRecord(game, facts) {
  if (game.error) throw new BadInput(game.error);
  return interpretNodes(parseGame(game.line).map((node) => node.properties), facts);
}

/** A game of a file, the first one by default. */
export function readGame(engine, bytes, number = 0) {
  const { facts } = engine, { MAX_NODES } = facts.constants.tree;
  const games = gamesIn(bytes, facts);
  if (number >= games.length) throw new BadInput(`the file has no game ${number + 1}`);
  const text = games[number], record = readRecord(text, facts);
  let read, isWhole;
  try {
    read = parseGame(text.whole, MAX_NODES + 1);
    isWhole = read.length <= MAX_NODES;
  } catch {
    [read, isWhole] = [parseGame(text.line, MAX_NODES), false];
  }
  const nodes = oneMoveEach(read.slice(0, MAX_NODES));
  const { start, written } = startAndNodes(engine, record, nodes);
  const game = { ...gameFromPosition(start), nodes: written };
  game.info = Object.fromEntries(Object.values(facts.sgf.info).filter((name) => record.texts[name]).map((name) =>
    [name, record.texts[name]]));
  if (record.k && interpretRow(record.texts.rules)) delete game.info.rules;
  if (text.isCutOff) {
    game.notice = `The file is cut off: the main line goes up to move ${record.moves.length}, and the end of the game is missing. A saved file has no more.`;
  }
  if (!isWhole) {
    const part = written.length === MAX_NODES ? `the first ${written.length.toLocaleString("en")} nodes` : "the main line";
    game.notice = `Of this game only ${part} could be read. A saved file has no more.`;
  }
  return game;
}

// ---- the record of a main line

const saysSomething = (value) => /[^ \t\r\n?-]/.test(value);

function interpretNodes(nodes, facts) {
  const [root] = nodes;
  const game = (root.get("GM")?.[0] ?? "1").trim() || "1";
  if (game !== "1" && game !== "4") throw new BadInput(`GM[${propertyText(root, "GM")}] is another game; Go is GM[1], Gomoku GM[4]`);
  const isGo = game === "1";
  const shape = interpretSize(root, isGo ? "19" : "");
  const info = collectInfo(nodes, facts);
  const { setup, moves } = collect(nodes, shape);
  const stones = [...setup].filter(([, colour]) => colour !== EMPTY).sort(([a], [b]) => a - b);
  const handicap = isGo ? interpretHandicap(info, stones, moves, shape) : 0;
  const toPlay = propertyText(info, "PL")[0]?.toUpperCase();
  const firstPlayer = moves.length ? moves[0][0] : toPlay === "W" || (toPlay !== "B" && handicap && stones.length) ? WHITE : BLACK;
  const texts = Object.fromEntries(Object.entries(facts.sgf.info).map(([ident, name]) => [name, propertyText(info, ident)]));
  texts.result = interpretResult(texts.result, shape, facts);
  texts.date = interpretDate(texts.date);
  texts.event ||= propertyText(info, "GN");
  const row = isGo ? null : interpretRow(texts.rules) ?? { k: facts.sgf.default_row[Math.min(...shape)] ?? 5, exactly: false };
  return { shape, isGo, moves, firstPlayer, handicap, texts, komi: isGo ? interpretKomi(info, facts) : null,
    k: row?.k ?? 0, exactly: row?.exactly ?? false };
}

function interpretSize(root, otherwise) {
  const text = propertyText(root, "SZ") || otherwise;
  const match = /^(\d{1,3})(?:\s*[:x]\s*(\d{1,3}))?$/.exec(text);
  const [cols, rows] = match ? [Number(match[1]), Number(match[2] ?? match[1])] : [0, 0];
  if (Math.min(cols, rows) < 2 || Math.max(cols, rows) > 19)
    throw new BadInput(`SZ[${text}]; boards of 2 to 19 columns and rows are supported`);
  return [rows, cols];
}

const SINA = { KO: "KM", TE: "EV", RD: "DT" };

function collectInfo(nodes, facts) {
  const known = new Set([...Object.keys(facts.sgf.info), "GN", "KM", "HA", "PL", "AP", "TC"]);
  const info = new Map();
  if (nodes[0].get("KO")?.[0].trim()) {
    for (const [ident, name] of Object.entries(SINA)) if (nodes[0].has(ident)) info.set(name, nodes[0].get(ident));
    nodes = [new Map([...nodes[0]].filter(([ident]) => !(ident in SINA))), ...nodes.slice(1)];
  }
  for (const node of nodes) {
    for (const [ident, values] of node) {
      if (!known.has(ident) || (info.has(ident) && saysSomething(info.get(ident)[0]))) continue;
      const at = values.findIndex(saysSomething);
      info.set(ident, at < 0 ? values : values.slice(at));
    }
  }
  return info;
}

/** { setup: Map of move index -> colour, moves: [colour, point] }. */
function collect(nodes, shape) {
  const setup = new Map(), moves = [];
  for (const node of nodes) {
    if (Object.keys(SETUP).some((ident) => node.has(ident))) {
      const stones = interpretSetup(node, shape);
      if (!moves.length) for (const [index, colour] of stones) setup.set(index, colour);
    }
    for (const [ident, values] of node) {
      if (ident !== "B" && ident !== "W") continue;
      for (const value of values) {
        const point = pointOfSgf(value.trim(), shape);
        if (point !== undefined) moves.push([ident === "B" ? BLACK : WHITE, point]);
      }
    }
  }
  return { setup, moves };
}

function pointOf(raw, shape, place) {
  const point = pointOfSgf(raw.trim(), shape);
  if (point === undefined) {
    throw new BadInput(`${place}: ${quoted(raw.trim().slice(0, 20))} is not a point on ${formatSize(shape)} (aa-${lastSgfPoint(shape)})`);
  }
  return point;
}

function interpretSetup(node, shape) {
  const [rows, cols] = shape, setup = new Map();
  for (const [ident, colour] of Object.entries(SETUP)) {
    for (const raw of node.get(ident) ?? []) {
      if (!raw.trim()) continue;
      const at = raw.indexOf(":");
      const corners = (at < 0 ? [raw] : [raw.slice(0, at), raw.slice(at + 1)]).map((corner) =>
        moveIndex(pointOf(corner, shape, `setup ${ident}`), shape));
      const [top, bottom] = [corners[0], corners.at(-1)].map((index) => Math.floor(index / cols)).sort((a, b) => a - b);
      const [left, right] = [corners[0], corners.at(-1)].map((index) => index % cols).sort((a, b) => a - b);
      if (bottom === rows) throw new BadInput(`setup ${ident}: a pass is not a point`);
      for (let row = top; row <= bottom; row += 1) for (let col = left; col <= right; col += 1) setup.set(row * cols + col, colour);
    }
  }
  return setup;
}

// ---- positions of nodes: mugo/sgf/node_positions.py

function startAndNodes(engine, record, nodes) {
  const { shape } = record;
  const empty = record.isGo
    ? Position.empty(engine, { game: "go", shape, komi: record.komi ?? KOMI,
      rules: parseRecordRules(record.texts.rules) ?? rulesOf() })
    : Position.empty(engine, { game: "gomoku", shape, k: record.k, exactly: record.exactly });
  if (record.isGo) empty.handicap = record.handicap;
  let start = empty.withTurn(record.firstPlayer);
  const following = nextColours(nodes);
  const after = [], waiting = nodes.map(() => 0);
  for (const { parent } of nodes) if (parent >= 0) waiting[parent] += 1;
  const written = nodes.map(({ parent, properties }, i) => {
    const { position, isStart, illegal } = playNode(parent < 0 ? start : after[parent], properties, following[i]);
    if (waiting[i]) after[i] = position;
    if (parent >= 0 && (waiting[parent] -= 1) === 0) delete after[parent];
    const node = { parent };
    const move = moveOf(properties, shape);
    if (parent < 0) {
      start = move || properties.has("PL") ? position : position.withTurn(record.firstPlayer);
    } else {
      if (move) node.move = formatMove(...move, shape);
      if (isStart) Object.assign(node, { stones: Array.from(position.stones, (stone) => MARKS[stone]).join(""),
        first: LETTERS[position.toPlay] });
    }
    if (illegal) node.illegal = illegal;
    return { ...node, ...commentFields(properties, engine.facts), properties: formatProperties(properties) };
  });
  return { start, written };
}

/** [colour, point] of a node's move; null if there is none, or if it is not on the board. */
function moveOf(properties, shape) {
  for (const [letter, colour] of [["B", BLACK], ["W", WHITE]]) {
    if (!properties.has(letter)) continue;
    const point = pointOfSgf(properties.get(letter)[0].trim(), shape);
    return point === undefined ? null : [colour, point];
  }
  return null;
}

/** For each node the colour of the first move after it along first children; EMPTY if there is none. */
function nextColours(nodes) {
  const first = nodes.map(() => -1);
  nodes.forEach(({ parent }, i) => { if (parent >= 0 && first[parent] < 0) first[parent] = i; });
  const colours = nodes.map(() => EMPTY);
  for (let i = nodes.length - 1; i >= 0; i -= 1) {
    if (first[i] < 0) continue;
    const { properties } = nodes[first[i]];
    colours[i] = properties.has("B") ? BLACK : properties.has("W") ? WHITE : colours[first[i]];
  }
  return colours;
}

function playNode(before, properties, nextColour) {
  let [position, isStart, illegal] = [before, false, ""];
  if (["PL", ...Object.keys(SETUP)].some((ident) => properties.has(ident))) {
    try {
      position = setUp(before, properties, nextColour);
      isStart = position !== before;
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      illegal = error.message;
    }
  }
  if (!properties.has("B") && !properties.has("W")) return { position, isStart, illegal };
  const { shape } = position, move = moveOf(properties, shape);
  if (!move) {
    const value = (properties.get("B") ?? properties.get("W"))[0].slice(0, 20);
    return { position, isStart, illegal: `${quoted(value)} is not a point on ${formatSize(shape)}` };
  }
  const [colour, point] = move;
  let reason = whyIllegal(position, point, colour);
  try {
    if (!reason) return { position: position.playUnchecked(point, colour), isStart, illegal };
  } catch (error) {
    reason = error.message;
  }
  illegal = `${NAMES[colour]} ${formatGtp(point, shape)} ${reason}`;
  try {
    return { position: force(position, point, colour), isStart: true, illegal };
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return { position, isStart, illegal };
  }
}

/** As Position.whyIllegal, but a repetition of a position is allowed. */
function whyIllegal(position, point, colour) {
  const reason = position.whyIllegal(point, colour);
  return reason === "repeats a position (superko)" ? null : reason;
}

function setUp(position, properties, nextColour) {
  const stones = position.stones.slice(), setup = interpretSetup(properties, position.shape);
  for (const [index, colour] of setup) stones[index] = colour;
  const turn = { B: BLACK, W: WHITE }[(properties.get("PL")?.[0] ?? "").trim()[0]?.toUpperCase()];
  const toPlay = turn || (setup.size ? nextColour : EMPTY) || position.toPlay;
  if (toPlay === position.toPlay && stones.every((stone, i) => stone === position.stones[i])) return position;
  return position.withBoard(stones, toPlay);
}

/** The new start after a move that the rules forbid. */
function force(position, point, colour) {
  let stones = position.stones.slice();
  if (point !== PASS) {
    stones[moveIndex(point, position.shape)] = EMPTY;
    ({ stones } = position.withBoard(stones, colour).playUnchecked(point, colour));
  }
  return position.withBoard(stones, -colour);
}

/** The "comment", "win_rate", "lead" and "visits" of a node, as far as it has them. */
function commentFields(properties, facts) {
  let text = textValue(properties.get("C")?.[0] ?? "");
  const fields = {}, match = new RegExp(facts.sgf.win_rate).exec(text);
  if (match) {
    fields.win_rate = Number((Math.min(Number(match[1]), 100) / 100).toFixed(3));
    fields.visits = Number(match[2]);
    if (match[3]) fields.lead = Number(match[4]) * (match[3] === "W" ? -1 : 1);
    text = text.slice(0, match.index) + text.slice(match.index + match[0].length);
  }
  text = text.trim();
  return text ? { ...fields, comment: text } : fields;
}

