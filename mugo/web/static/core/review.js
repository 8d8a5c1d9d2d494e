// The statistics of a reviewed line, its phases, and the scale of its graph.  docs/howto/browser.md has the formulas.

import { valuesOf } from "./analysis.js";
import { formatSize } from "./coordinates.js";
import { criticalMoves } from "./exercises.js";
import { Game, mainLine } from "./game.js";
import { LISTED_LEVEL, lostByMoves, mistakes } from "./losses.js";
import { t } from "./texts.js";

/** The keys of the names of the phases of a game of Go.  The first two end after these shares of the board's points, as in KaTrain's reports. */
export const PHASES = ["opening", "middleGame", "endgame"];
const PHASE_ENDS = [0.14, 0.4];

/** The last moves of the opening and of the middle game: 51 and 144 on 19x19. */
export const phaseEnds = ({ rows, cols }) => PHASE_ENDS.map((share) => Math.round(share * rows * cols));

/** The number of the phase that a move belongs to; number: the number of the move, from 1. */
export const phaseOf = (number, size) => phaseEnds(size).filter((end) => number > end).length;

/** The accuracy of a move, 0 to 100, from the win rate that it lost, 0 to 1: lichess.org/page/accuracy. */
export const accuracyOf = (winRateLost) => (winRateLost <= 0 ? 100
  : Math.max(0, Math.min(100, 103.1668 * Math.exp(-4.354 * winRateLost) - 3.1669)));

const mean = (values) => (values.length ? values.reduce((a, b) => a + b) / values.length : null);
const meanLossOf = (moves) => mean(moves.map(({ lost }) => Math.max(0, lost)));

/** The accuracy of moves, 0 to 100, null without any: by points 100 * 0.75 ** (points lost a move), as KaTrain has it;
    where no points are known, the mean of lichess's. */
const accuracyOfMoves = (moves) => (moves.length && moves[0].unit === "lead" ? 100 * 0.75 ** meanLossOf(moves)
  : mean(moves.map(({ winRateLost }) => accuracyOf(winRateLost))));

/** The statistics of both colours, { B, W }: { moves, accuracy, meanLoss, agreement, levels, phases }; null: unknown.

    meanLoss: in the unit of the losses, gains of a move counted as 0.  agreement: the share of moves that are the best
    one of the search before.  levels: the number of listed mistakes of each, from LISTED_LEVEL on.  phases: { moves,
    accuracy } of each. */
export function statistics({ moves }, size) {
  const of = (colour) => {
    const own = moves.filter((each) => each.colour === colour);
    const withBest = own.filter(({ better }) => better !== null);
    const inPhase = PHASES.map((_, phase) => own.filter(({ index }) => phaseOf(index, size) === phase));
    return {
      moves: own.length,
      accuracy: accuracyOfMoves(own),
      meanLoss: meanLossOf(own),
      agreement: mean(withBest.map(({ better, vertex }) => Number(better === vertex))),
      levels: [3, 4, 5].map((level) => own.filter((each) => each.isListed && each.level === level).length),
      phases: inPhase.map((of) => ({ moves: of.length, accuracy: accuracyOfMoves(of) })),
    };
  };
  return { B: of("B"), W: of("W") };
}

/** The person's colour in a game, "B" or "W": of the game that they played here, or by their name in it; or null. */
export function ownColour(info, human, name) {
  if (human === "B" || human === "W") return human;
  const plain = (text) => text.trim().toLowerCase();
  const isOwn = (player = "") => player === "You" || Boolean(name && plain(player) === plain(name));
  const [black, white] = [isOwn(info.black), isOwn(info.white)];
  return black === white ? null : black ? "B" : "W";
}

/** The rank of a record as the network names it, '3d' or '5k'; null for another one: '3 dan', '5級'. */
export function rankIn(text = "") {
  const [, number, kind] = /^(\d+)\s*(d|段|k|級|级|급|단)/i.exec(text.trim()) ?? [];
  return number ? `${Number(number)}${/[d段단]/i.test(kind) ? "d" : "k"}` : null;
}

// ---- the graph

const LEAST_LEAD = 5;                    // that the scale of leads has on both sides: less is noise

/** The scale of the graph: { least, middle, most }, values at its ends and where both sides are equal.
    Win rates go from 0 to 1; leads in round numbers as far as those of the searches, or of the network without any. */
export function scale(line, unit) {
  if (unit !== "lead") return { least: 0, middle: 0.5, most: 1 };
  const known = (lead) => lead != null;
  const searched = line.map((node) => valuesOf(node)?.lead).filter(known);
  const leads = searched.length > 1 ? searched : [...searched, ...line.map((node) => node.value_lead).filter(known)];
  const [low, high] = [Math.min(-LEAST_LEAD, ...leads), Math.max(LEAST_LEAD, ...leads)];
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((each) => (high - low) / each <= 5) ?? 500;
  const [least, most] = [step * Math.floor(low / step), step * Math.ceil(high / step)];
  return { least, middle: 0, most };
}

/** Black's share of the bar next to the board, 0 to 1: 10 points are a quarter of it; the win rate without a lead. */
export const barShare = ({ win_rate: winRate, lead }) =>
  (lead == null ? winRate : 0.5 + 0.5 * lead / (Math.abs(lead) + 10));

// ---- how deep a line is analysed

export const DEPTHS = { quick: 40, normal: 100, deep: 400 };     // visits of each position
export const DEEPER = 4;                 // times as many for the positions before and after a mistake

/** The nodes before and after the mistakes of a line. */
export function aroundMistakes(line) {
  const found = lostByMoves(line).moves.filter(({ level }) => level >= LISTED_LEVEL);
  return [...new Set(found.flatMap(({ index }) => [line[index - 1], line[index]]))];
}

/** About how many seconds an analysis of a line still takes; null before it has searched.
    done of nodes are; spent: milliseconds in which this many have been searched.  Before those around mistakes are
    searched deeper, as many are expected in the rest of the line as in what is done. */
export function secondsLeft({ nodes, line, done, isDeeper, searched = 0, spent = 0 }) {
  if (!searched) return null;
  const deeper = isDeeper ? 0 : Math.min(nodes.length, aroundMistakes(line).length * nodes.length / Math.max(1, done));
  return (nodes.length - done + DEEPER * deeper) * spent / searched / 1000;
}

/** 'about 2 min left'; '' while it is not known. */
export function timeText(seconds) {
  if (seconds === null) return "";
  return seconds < 60 ? t("secondsToGo", { seconds: Math.max(1, Math.round(seconds)) })
    : t("minutesToGo", { minutes: Math.round(seconds / 60) });
}

// ---- progress over the stored games

const MIN_MOVES = 10;                    // of the person's, between two searches

/** The person's statistics in a stored game, { colour, unit, moves, accuracy, meanLoss, opponent }; null without enough
    moves that are analysed.  body: of autosave.readEntry; name: the person's in records. */
export function ownStatistics({ game: stored, human }, name) {
  const game = Game.fromJSON(stored);
  const colour = ownColour(game.info, human, name);
  if (!colour) return null;
  const lost = lostByMoves(mainLine(game.root));
  const { moves, accuracy, meanLoss } = statistics(lost, game.size)[colour];
  if (moves < MIN_MOVES) return null;
  const opponent = game.info[colour === "B" ? "white" : "black"] ?? "";
  return { colour, unit: lost.unit, moves, accuracy, meanLoss, opponent };
}

const WORST = 3;                         // mistakes of a game that are listed
const PUZZLES = 5;                       // of a game that come again

/** The person's puzzles in a game that has ended: of exercises.criticalMoves. */
export function ownPuzzles(game, human, name) {
  const colour = ownColour(game.info, human, name);
  return game.isGo && colour && !(human && !game.result) ? criticalMoves(game.line(), colour, PUZZLES) : [];
}

/** What the list of games says of one: players, result, size, moves, the stones of its end, and if it is analysed what the
    person lost in points, their largest mistakes, [number, vertex, points] each, and when their puzzles are due. */
export function summaryOf(game, human, name) {
  const { black, white, date, result } = game.info;
  const line = game.line();
  const last = line.findLast(({ position }) => position) ?? game.node;
  const colour = ownColour(game.info, human, name);
  const { unit, moves } = lostByMoves(line);
  const own = unit === "lead" && colour ? moves.filter((each) => each.colour === colour) : [];
  return { black, white, date, result: result ?? game.result ?? undefined, size: formatSize(game.size).replace("x", "×"),
    isGo: game.isGo, moves: game.moveNumber(line.at(-1)), stones: last.position?.stones,
    lost: own.length ? own.reduce((sum, { lost }) => sum + Math.max(0, lost), 0) : undefined,
    worst: mistakes(own).slice(0, WORST).map(({ node, vertex, lost }) => [game.printedNumber(node), vertex, lost]),
    due: ownPuzzles(game, human, name).map(({ node }) => node.box?.[1] ?? "") };
}

/** '2026-11-23', from the record of a game, or from the time when it was saved. */
export const dateOf = ({ summary, saved }) => /^\d{4}-\d{2}-\d{2}/.exec(summary?.date ?? "")?.[0]
  ?? new Date(saved).toISOString().slice(0, 10);
