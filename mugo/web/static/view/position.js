// The position on the board: stones, numbers, marks, the overlay, and the stones under the mouse.

import { parseSize, parseVertex } from "../core/coordinates.js";
import { moveNumbers } from "../core/move_numbers.js";
import { reasonText, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { isAnalysisHidden, isEstimateShown, overlayName, screen, selfAtari, shownSearch, stonesInAtari, thinkingNode, touchedVertex } from "../queries.js";
import { boardNotes, ring } from "./notes.js";
import { localElements, localText } from "./local.js";
import { pointedMove } from "./analysis.js";
import { Board } from "./board.js";
import { toolPreview } from "./edit_tools.js";
import { markup } from "./markup.js";
import { currentOverlay } from "./overlay.js";
import { area, estimate } from "./overlays.js";

export const board = new Board(byId("board"));
let drawn = {};                          // the game on the board, and whether it has coordinates
let isInSight = true;                    // whether half of the board is
new IntersectionObserver(([{ intersectionRatio: ratio }]) => { isInSight = ratio >= 0.5; }, { threshold: 0.5 })
  .observe(byId("board-frame"));
let [shownNode, shownMistake] = [null, null];
let marks = null;                        // of the position on the board

/** Draw the board of the first game until the server has it. */
export function renderFirstBoard({ server: { first }, settings }) { board.drawEmpty(parseSize(first.size), settings.coordinates); }

export function renderBoard(state) {
  const { game, human, at: { score }, settings } = state;
  const { node } = game;
  const coordinates = settings.coordinates && screen(state) === "game";
  if (drawn.game !== game || drawn.coordinates !== coordinates) {
    board.drawEmpty(game.size, coordinates);
    drawn = { game, coordinates };
    document.querySelector("main").dataset.game = game.isGo ? "go" : "gomoku";
  }
  const overlay = currentOverlay(state);
  if (node.position) {
    const shade = isEstimateShown(state) && node.ownership ? estimate(node.ownership, game.size, node.position.stones) : [];
    const shown = score ? { dead: score.dead, overlay: area(score, game.size, node.position.stones) } : { overlay: [...shade, ...overlay] };
    marks = markup(node, game.size, node.position.stones);
    const hasNext = screen(state) === "game" && !(human || score || state.exercise || state.at.mistake);
    const next = hasNext ? node.children.filter(({ move }) => move).map(({ move }) => move.slice(2)) : [];
    const { moveNumbers: numbered } = settings;
    const numbers = numbered === "0" || score || overlayName(state) === "losses" ? new Map() : moveNumbers(game, numbered);
    board.show(node.position, { ...shown, markup: marks, next, numbers, atari: stonesInAtari(state) });
    byId("markup-description").textContent = [marks.text, localText(state)].filter(Boolean).join(" ");
  }
  board.isDragged = state.at.choosing === "region";
  board.showRegion(localElements(state));
  renderGhosts(state);
  describeCursor(state);
  // On a phone the board may be out of sight: another position shows it.
  const isNew = shownNode !== node || (state.at.mistake && shownMistake !== state.at.mistake);
  if (shownNode && isNew && !state.writing && !isInSight) byId("board-section").scrollIntoView();
  [shownNode, shownMistake] = [node, state.at.mistake];
}

/** Draw the stone that a click would play, the principal variation that starts with it, or the line of a mistake. */
function renderGhosts(state) {
  const { game, at: { score } } = state;
  const hover = state.at.hover && (pointedMove() ?? state.at.hover);
  const { position } = game.node;
  const isBlack = position?.to_play === "B";
  const info = hover && shownSearch(state)?.moves.find(({ move }) => move === hover);
  const notes = position && !score ? boardNotes(state) : null;
  if (state.at.choosing) board.showGhosts([], isBlack, false);
  else if (state.tool !== null) {
    const { elements, stone } = toolPreview(state);
    board.showGhosts(stone ? [hover] : [], stone === "X", false);
    board.showPreview(elements);
  } else if (notes?.line.length && !(info && pointedMove())) {
    board.showGhosts(notes.line, isBlack, true, Boolean(state.at.mistake && overlayName(state) !== "search"));
    board.showPreview(notes.elements);
  } else if (!position || score || (!hover && !notes)) board.showGhosts([], isBlack, false);
  else if (info && (overlayName(state) === "search" || (state.analyzing && !isAnalysisHidden(state)))) board.showGhosts(info.pv, isBlack, true);
  else {
    const at = hover && parseVertex(hover, game.size);
    const isFree = at && position.stones[at.row * game.size.cols + at.col] === "." && !position.illegal[hover];
    board.showGhosts(isFree && thinkingNode(state) !== game.node ? [hover] : [], isBlack, false);
    if (isFree && touchedVertex(state) === hover) board.showCrosshair(at);
    board.showPreview(notes?.elements ?? selfAtari(state)?.points.flatMap((vertex) => ring(vertex, game.size, "played")) ?? []);
  }
}

/** Say what is under the keyboard's cursor. */
function describeCursor({ game, at: { hover } }) {
  const { position } = game.node;
  if (!hover || !position || !board.cursor) return;
  const { row, col } = parseVertex(hover, game.size);
  const reason = position.illegal[hover];
  const descriptions = { X: t("blackStoneHere"), O: t("whiteStoneHere"), ".": reason ? reasonText(reason) : t("empty") };
  const mark = marks?.names.get(hover);
  const text = `${hover} ${descriptions[position.stones[row * game.size.cols + col]]}${mark ? `, ${mark}` : ""}`;
  if (byId("cursor-description").textContent !== text) byId("cursor-description").textContent = text;
}
