// The analysis of a node in the SGF property LZ, as Lizzie and LizzieYzy have it: text <-> analysis.  As mugo/reviews/annotated_sgf.py.
//
//   MuGo 46.6 70 -1.20                       the program, the win rate, the visits, and the score if there is one
//   move D4 visits 40 winrate 5340 scoreMean -1.20 pv D4 Q16 info move Q16 visits 30 winrate 5210 pv Q16 D4
//
// The first win rate is for the player who has just moved, in percent.  All other values are of the side to move:
// win rates in hundredths of a percent, scores in points.  The root has its analysis in LZOP.
//
// An analysis is { win_rate, lead, visits, moves: [{ move, win_rate, lead, visits, pv }] }, all from Black's point of view.

import { formatVertex, parseVertex } from "./coordinates.js";

export const [WRITTEN_MOVES, WRITTEN_PLIES] = [3, 8];
const [READ_MOVES, READ_PLIES] = [20, 20];         // of files of other programs
const NUMBER = /^-?\d{1,7}(?:\.\d{1,20})?$/;
const VISITS = /^(\d{1,9}(?:\.\d{1,3})?)([km]?)$/;
const UNITS = { "": 1, k: 1000, m: 1_000_000 };

// ---- writing

/** The text of LZ for a node after which a colour is to play. */
export function formatLz({ win_rate: winRate, lead, visits, moves }, toPlay) {
  const tenths = Math.floor((10_000 - sideRate(winRate, toPlay) + 5) / 10);
  const score = lead == null ? "" : ` ${formatScore(lead, toPlay)}`;
  const line = distinctMoves({ moves }, WRITTEN_MOVES).map((move) => formatMove(move, toPlay)).join(" info ");
  return `MuGo ${Math.floor(tenths / 10)}.${tenths % 10} ${visits}${score}\n${line}`;
}

/** The first `count` moves of an analysis without those that are symmetric to one of them. */
export const distinctMoves = ({ moves }, count) => moves.filter((move) => !move.symmetry_of).slice(0, count);

function formatMove({ move, visits, win_rate: winRate, lead, pv }, toPlay) {
  const score = lead == null ? "" : ` scoreMean ${formatScore(lead, toPlay)}`;
  return `move ${move} visits ${visits} winrate ${sideRate(winRate, toPlay)}${score} pv ${pv.slice(0, WRITTEN_PLIES).join(" ")}`;
}

/** The win rate of a side in hundredths of a percent, from Black's from 0 to 1; and back. */
const sideRate = (winRate, toPlay) => ofSide(Math.round(10_000 * winRate), toPlay);
const blackRate = (rate, toPlay) => ofSide(rate, toPlay) / 10_000;
const ofSide = (rate, toPlay) => (toPlay === "B" ? rate : 10_000 - rate);

/** The lead of a side, with two decimals, from Black's; and back. */
function formatScore(lead, toPlay) {
  const hundredths = Math.round(100 * lead) * (toPlay === "B" ? 1 : -1);
  return (hundredths / 100 + 0).toFixed(2);
}
const blackLead = (lead, toPlay) => (lead === null ? null : Math.round(100 * lead) * (toPlay === "B" ? 1 : -1) / 100 + 0);

// ---- reading

/** The analysis in the text of LZ, for a node after which a colour is to play; null where there is none to read.
    A move that is not well formed is left out.  A variation ends before what is not a vertex. */
export function parseLz(text, size, toPlay) {
  const [head, line = ""] = text.split("\n");
  const words = split(head);
  const [rate, visits] = [number(words[1], 0, 100), parseVisits(words[2])];
  if (rate === null || !visits) return null;
  const moves = line.split(/\binfo\b/).map((info) => parseMove(split(info), size, toPlay)).filter(Boolean);
  return { win_rate: blackRate(10_000 - Math.round(100 * rate), toPlay), lead: blackLead(number(words[3]), toPlay), visits,
    moves: moves.slice(0, READ_MOVES) };
}

const split = (text) => text.split(/\s+/).filter(Boolean);

/** A move from its keys and values, of which "pv" is the last with one value for each ply. */
function parseMove(words, size, toPlay) {
  const end = words.includes("pv") ? words.indexOf("pv") : words.length;
  const values = new Map();
  for (let i = 0; i + 1 < end; i += 2) values.set(words[i], words[i + 1]);
  const vertex = parseName(values.get("move"), size);
  const [visits, rate] = [parseVisits(values.get("visits")), number(values.get("winrate"), 0, 10_000)];
  if (vertex === null || visits === null || rate === null) return null;
  const plies = words.slice(end + 1, end + 1 + READ_PLIES).map((word) => parseName(word, size));
  const pv = plies.includes(null) ? plies.slice(0, plies.indexOf(null)) : plies;
  return { move: vertex, win_rate: blackRate(Math.round(rate), toPlay), lead: blackLead(number(values.get("scoreMean")), toPlay),
    visits, pv: pv.length ? pv : [vertex] };
}

/** 'q16' -> 'Q16'; null if it is not a vertex of the board. */
function parseName(word = "", size) {
  if (/^pass$/i.test(word)) return "pass";
  if (!/^[A-HJ-T]\d{1,2}$/i.test(word)) return null;
  const { row, col } = parseVertex(word.toUpperCase(), size);
  return row >= 0 && row < size.rows && col >= 0 && col < size.cols ? formatVertex(row, col, size) : null;
}

function parseVisits(word = "") {
  const [, count, unit] = VISITS.exec(word) ?? [];
  return count === undefined ? null : Math.round(Number(count) * UNITS[unit]);
}

/** The number of a word; null if it is none, or out of range. */
function number(word = "", least = -1000, most = 1000) {
  const found = NUMBER.test(word) ? Number(word) : NaN;
  return found >= least && found <= most ? found : null;
}
