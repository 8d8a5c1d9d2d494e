// Why a move was a mistake: the points that change hands if it is played, and not the better one.
//
//   better move, answer, ...  -> position -> ownership --+
//   played move, answer, ...  -> position -> ownership --+-> of each point, what the side that moved loses

import { newNode } from "./game.js";
import { colourName, language, t } from "./texts.js";

const LEAST_CHANGE = 0.2;                // of a point that belongs to a part
const LEAST_POINTS = 1.5;                // of a part that is named
const LEAST_SHARE = 0.3;                 // of the largest part
const REACH = 2;                         // lines between points of one part
const PLACES = [["atTopLeft", "atTop", "atTopRight"], ["onLeft", "inCentre", "onRight"], ["atBottomLeft", "atBottom", "atBottomRight"]];

/** The nodes after the better and after the played line, which are in no tree: as many moves of each, so that the same
    side is to move.  mistake: of losses.lossOf. */
export function lineEnds({ node, colour, betterLine, playedLine }) {
  const plies = Math.min(betterLine.length, playedLine.length);
  return [betterLine, playedLine].map((line) => line.slice(0, plies).reduce((before, vertex, i) =>
    newNode(before, { move: `${(colour === "B") === (i % 2 === 0) ? "B" : "W"} ${vertex}` }), node.parent));
}

/** What names the lines: their ownership is of these. */
export const linesOf = ({ betterLine, playedLine }) => [...betterLine, "/", ...playedLine].join(" ");

/** Of each point, the points that a colour loses by the played line, below 0 what it gains.  why: { better, played }, the
    server's answers to "ownership". */
export const changesOf = ({ better, played }, colour) =>
  better.ownership.map((value, i) => (colour === "B" ? 1 : -1) * (value - played.ownership[i]) / 100);

/** The parts of the board that change hands, the largest first: { points, place }, place: a key of the texts; and the rest
    of what the searches say that was lost, if that is known. */
export function partsOf(changes, { rows, cols }, lost = null) {
  const open = new Set(changes.flatMap((change, i) => (Math.abs(change) >= LEAST_CHANGE ? [i] : [])));
  const parts = [];
  while (open.size) {
    const [first] = open;
    const isLoss = changes[first] > 0;
    const part = [first];
    open.delete(first);
    for (const i of part) {
      for (const j of [...open]) {
        const [down, right] = [Math.floor(i / cols) - Math.floor(j / cols), i % cols - j % cols];
        if (changes[j] > 0 !== isLoss || Math.max(Math.abs(down), Math.abs(right)) > REACH) continue;
        part.push(j);
        open.delete(j);
      }
    }
    const points = part.reduce((sum, i) => sum + changes[i], 0);
    const middle = (of) => part.reduce((sum, i) => sum + of(i) * changes[i], 0) / points;
    const third = (value, count) => Math.min(2, Math.floor(3 * (value + 0.5) / count));
    parts.push({ points, place: PLACES[third(middle((i) => Math.floor(i / cols)), rows)][third(middle((i) => i % cols), cols)] });
  }
  parts.sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
  const named = parts.filter(({ points }) => Math.abs(points) >= Math.max(LEAST_POINTS, LEAST_SHARE * Math.abs(parts[0].points))).slice(0, 2);
  const rest = lost === null ? 0 : lost - named.reduce((sum, { points }) => sum + points, 0);
  return named.length && Math.abs(rest) >= LEAST_POINTS ? [...named, { points: rest, place: "elsewhere" }] : named;
}

/** 'Black loses about 9 points at the top right, and gains about 3 on the left.'  Without numbers where most of what the
    lines' ends say is not in the searches' loss. */
export function whyText(parts, colour) {
  if (!parts.length) return t("noAreaChanges");
  const rest = parts.find(({ place }) => place === "elsewhere")?.points ?? 0;
  if (Math.abs(rest) > Math.abs(parts[0].points) / 2) return t("changesMainly", { place: t(parts[0].place) });
  const texts = parts.map(({ points, place }) => t(points > 0 ? "losesAt" : "gainsAt", { count: Math.round(Math.abs(points)), place: t(place) }));
  return t("changesHands", { colour: colourName(colour), parts: new Intl.ListFormat(language).format(texts) });
}
