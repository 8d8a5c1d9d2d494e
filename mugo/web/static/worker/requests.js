// Requests of the page -> positions: mugo/web/requests.py.

import { BLACK, PASS, WHITE, areaOf, colourOf, fixedHandicap, formatGtp, interpretGtp, interpretSize, LETTERS, sizeValue }
  from "./coords.js";
import { BadInput, quoted } from "./errors.js";
import { Position, checkKomi } from "./position.js";
import { bonusField, formatG, parseRules, recordName, rulesText, rulesToPlay } from "./rules.js";

const PYTHON_NAMES = { string: "str", boolean: "bool" };
const nameOfType = (value) => (value === null ? "NoneType" : Array.isArray(value) ? "list"
  : typeof value === "number" ? (Number.isInteger(value) ? "int" : "float") : PYTHON_NAMES[typeof value] ?? "dict");

/** A field that must be there, of a type: "str", "int", "float" (any number), "list" or "dict". */
export function requireField(message, name, ...kinds) {
  if (!(name in message)) throw new BadInput(`'${name}' is missing`);
  const kind = nameOfType(message[name]);
  if (!kinds.includes(kind)) throw new BadInput(`'${name}' cannot be a ${kind}`);
  return message[name];
}

export function requireNumber(message, name, most) {
  const value = requireField(message, name, "int", "float");
  if (!(value >= -most && value <= most)) throw new BadInput(`'${name}' must be a number from -${formatG(most)} to ${formatG(most)}`);
  return value;
}

export function colourOfRequest(request, name) {
  const colour = colourOf(requireField(request, name, "str"));
  if (!colour) throw new BadInput(`'${name}' must be 'B' or 'W'`);
  return colour;
}

/** The points of a list of vertices, PASS for a pass; null without the field. */
export function optionalPoints(message, name, shape) {
  if (!(name in message)) return null;
  const vertices = requireField(message, name, "list");
  if (vertices.length > areaOf(shape) + 1) throw new BadInput(`'${name}' has more vertices than the board`);
  return vertices.map((vertex) => interpretGtp(String(vertex), shape));
}

function interpretMove(text, shape) {
  const [letter, vertex] = text.includes(" ") ? [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)] : [text, ""];
  const colour = colourOf(letter);
  if (!colour) throw new BadInput(`${quoted(text.slice(0, 20))} is not a move; expected 'B Q16' or 'W pass', for instance`);
  return [colour, interpretGtp(vertex, shape)];
}

/** The empty board for a game's "name", "size", and "komi" and "rules", or "k" and "exactly". */
function requestedBoard(engine, game) {
  const name = game.name ?? "go";
  if (!["go", "gomoku"].includes(name)) throw new BadInput(`unknown game ${quoted(String(name)).slice(0, 20)} (known: go, gomoku)`);
  let shape;
  try {
    shape = interpretSize(String(requireField(game, "size", "int", "str")));
  } catch (error) {
    throw error.message.startsWith("'size'") ? error : new BadInput(`'size': ${error.message}`);
  }
  if (name === "go") {
    const komi = requireNumber(game, "komi", 361);
    checkKomi(komi);
    const rules = "rules" in game ? parseRules(String(game.rules)) : parseRules({ scoring: game.scoring ?? "AREA" });
    return Position.empty(engine, { game: "go", shape, komi, rules });
  }
  const exactly = game.exactly ?? false;
  if (typeof exactly !== "boolean") throw new BadInput("'exactly' must be true or false");
  return Position.empty(engine, { game: "gomoku", shape, k: requireField(game, "k", "int"), exactly });
}

/** The position after "moves" in "game".  As in records of Go, moves may repeat a position. */
export function positionOfRequest(engine, request) {
  const game = requireField(request, "game", "dict"), moves = requireField(request, "moves", "list");
  const board = requestedBoard(engine, game), { shape } = board;
  const [black, white] = ["black", "white"].map((name) =>
    requireField(game, name, "list").map((vertex) => interpretGtp(String(vertex), shape)));
  if ([...black, ...white].includes(PASS)) throw new BadInput("a stone cannot be placed on 'pass'");
  board.withStones(black, white);                        // throws for the first stone that cannot stand there
  const inOrder = [black, white].map((points) => points.sort((a, b) => a - b));      // on which the search's order of moves depends
  let start = board.withStones(...inOrder, colourOf(game.first) ?? BLACK);
  if (start.isGo) {
    start.handicap = requireField(game, "handicap", "int");
    if (!(start.handicap >= 0 && start.handicap <= 361)) throw new BadInput("'handicap' must be from 0 to 361");
    const bonus = "handicap_bonus" in game ? requireNumber(game, "handicap_bonus", 361) : start.handicapBonus;
    if (bonus !== start.handicapBonus) {
      start = start.withRules({ ...start.rules, name: "", whiteHandicapBonus: bonusField(start.handicap, bonus) });
    }
  }
  return start.playMoves(moves.map((move) => interpretMove(String(move), shape)));
}

/** A game without moves: the answer to "new". */
export function gameOfRequest(engine, request) {
  let position = requestedBoard(engine, request);
  if (!position.isGo) return gameFromPosition(position);
  if ("rules" in request) position = position.withRules(rulesToPlay(String(request.rules)));
  const stones = requireField(request, "handicap", "int");
  if (stones) position = position.withHandicap(fixedHandicap(position.shape, stones));
  return { ...gameFromPosition(position), info: { rules: recordName(position.rules, position.handicap) } };
}

/** A game without moves whose root position is `position`: game_from_position of mugo/sgf/tree.py. */
export function gameFromPosition(position) {
  const { shape, stones } = position;
  const at = (colour) => [...stones.keys()].filter((i) => stones[i] === colour)
    .map((i) => formatGtp((Math.floor(i / shape[1]) + 1) * (shape[1] + 1) + (i % shape[1]) + 1, shape));
  const rules = position.isGo ? { komi: position.komi, handicap: position.handicap, handicap_bonus: position.handicapBonus,
    rules: position.rules.name || rulesText(position.rules), scoring: position.rules.scoring }
      : { k: position.k, exactly: position.exactly };
  return { name: position.game, size: sizeValue(shape), ...rules, black: at(BLACK), white: at(WHITE),
    first: LETTERS[position.toPlay], info: {},
    nodes: [{ parent: -1 }] };
}

