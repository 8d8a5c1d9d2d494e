// What the board shows of a mistake: sentences of facts that can be counted, read in a ladder or replayed.
//
//   fact    { key, values }: the key of a sentence of the texts, and what it names; null where there is none
//   stones  before the move, "B E5"; planes: the server's, of the position before a move or after it, undefined until known
//
// tests/web/test_page_coach.py plays each fact on the board.

import { chainsOf, inAtari, placed } from "./chains.js";
import { indexOf, planePoints } from "./coordinates.js";
import { colourName, t } from "./texts.js";

const other = (colour) => (colour === "B" ? "W" : "B");
const countOf = (stones, colour) => stones.split(colour === "B" ? "X" : "O").length - 1;

/** How many stones a colour captures by a move on a point; 0 where a stone is. */
export function captureAt(stones, colour, vertex, size) {
  if (stones[indexOf(vertex, size)] !== ".") return 0;
  return countOf(stones, other(colour)) - countOf(placed(stones, `${colour} ${vertex}`, size), other(colour));
}

/** The captures of a colour by one move, the largest first: { vertex, count }. */
export function captures(stones, colour, size) {
  const moves = new Set(inAtari(stones, size).filter((chain) => chain.colour !== colour).map(({ liberties }) => liberties[0]));
  return [...moves].map((vertex) => ({ vertex, count: captureAt(stones, colour, vertex, size) })).sort((a, b) => b.count - a.count);
}

/** The chain of a colour with two liberties of which this is one, if there is just one such chain: what a ladder takes. */
function ladderChain(stones, colour, vertex, size) {
  const chains = chainsOf(stones, size).filter((chain) => chain.colour === colour && chain.liberties.length === 2 && chain.liberties.includes(vertex));
  return chains.length === 1 ? chains[0] : null;
}

/** Whether a chain that is chased from a liberty can run: its last liberty gives it two. */
function canRun(stones, { colour, points, liberties }, vertex, size) {
  const chased = placed(stones, `${other(colour)} ${vertex}`, size);
  const after = placed(chased, `${colour} ${liberties.find((each) => each !== vertex)}`, size);
  return chainsOf(after, size).find((chain) => chain.points.includes(points[0])).liberties.length > 1;
}

/** What a move leaves to the other side: the stones that its next move in the game has captured, those that one move
    captures, or those that it takes in a ladder.  None of which it could as well before, unless a better move has
    prevented that.  better, reply: the better move, and the next one of the game, if they are known. */
export function danger({ stones, move, better = null, reply = null, planes, names, size }) {
  const [own, colour] = [move[0], other(move[0])];
  const after = placed(stones, move, size);
  const boards = [stones, ...(better ? [placed(stones, `${own} ${better}`, size)] : [])];
  const isOwed = ({ vertex, count }) => boards.some((each) => captureAt(each, colour, vertex, size) < count);
  const captured = reply && { vertex: reply.slice(2), count: captureAt(after, colour, reply.slice(2), size) };
  if (captured?.count && isOwed(captured)) return { key: "coachCaptured", values: { colour, ...captured } };
  const retakes = ({ vertex }) => placed(after, `${colour} ${vertex}`, size) === stones;
  const capture = captures(after, colour, size).find((each) => isOwed(each) && !retakes(each));
  if (capture) return { key: "coachCanCapture", values: { colour, ...capture } };
  const ladders = planes ? planePoints(planes, names.indexOf("ladder capture"), size) : [];
  const found = ladders.flatMap((vertex) => {
    const chain = ladderChain(after, own, vertex, size);
    const isNear = chain && [...chain.points, ...chain.liberties].some((each) => each === move.slice(2) || each === better);
    return isNear ? [{ vertex, count: chain.points.length, chain }] : [];
  }).sort((a, b) => b.count - a.count)[0];
  if (!found) return null;
  const { chain, ...values } = found;
  return { key: canRun(after, chain, values.vertex, size) ? "coachLadder" : "coachNoEscape", values: { colour, ...values } };
}

/** What a better move does: it captures stones, saves own ones that could be captured, or takes a chain in a ladder. */
export function chance({ stones, move, planes, names, size }) {
  const [own, vertex] = [move[0], move.slice(2)];
  const after = placed(stones, move, size);
  const count = captureAt(stones, own, vertex, size);
  if (count) return { key: "coachCaptures", values: { vertex, count } };
  const atRisk = inAtari(stones, size).filter(({ colour, liberties }) => colour === own && liberties[0] === vertex).flatMap(({ points }) => points);
  const chain = chainsOf(after, size).find(({ points }) => points.includes(vertex));
  if (atRisk.length && chain.liberties.length > 1) {
    return { key: "coachExtends", values: { vertex, count: atRisk.length, liberties: chain.liberties.length } };
  }
  const taken = planes && planePoints(planes, names.indexOf("ladder capture"), size).includes(vertex)
    && ladderChain(stones, other(own), vertex, size);
  if (!taken) return null;
  return { key: canRun(stones, taken, vertex, size) ? "coachTakesInLadder" : "coachNoEscape", values: { colour: own, vertex, count: taken.points.length } };
}

const textOf = (fact) => (fact ? t(fact.key, { ...fact.values, colour: colourName(fact.values.colour) }) : "");

/** The sentence of what the move of a node leaves to the other side; "" where the board shows nothing, or is not known. */
export function dangerText(node, names, size) {
  const { parent, move, planes, children, selected } = node;
  if (!parent.position || move.endsWith(" pass")) return "";
  const [reply, better] = [children[selected]?.move, parent.analysis?.moves[0]?.move].map((each) => (each?.endsWith("pass") ? null : each));
  return textOf(danger({ stones: parent.position.stones, move, better, reply, planes, names, size }));
}

/** The sentence of what a better move than a node's does. */
export function chanceText({ parent, move }, better, names, size) {
  if (!parent.position || better === "pass") return "";
  return textOf(chance({ stones: parent.position.stones, move: `${move[0]} ${better}`, planes: parent.planes, names, size }));
}
