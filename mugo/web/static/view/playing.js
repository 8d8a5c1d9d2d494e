// The game that is played: which buttons can be pressed now, who plays, who is ahead, and its end.

import { formatLossWithUnit } from "../core/losses.js";
import { nextOpponent } from "../core/opponents.js";
import { colourName, formatNumber, resultText, sentence, t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import {
  canPlayFrom, canResign, canScore, currentValues, danger, decidingMoves, isClosed, isEstimateShown, nextStep, opponentName, outcome,
} from "../queries.js";

export function renderPlaying(state) {
  renderActions(state);
  renderPlayFrom(state);
  renderEnd(state);
  byId("estimate").setAttribute("aria-pressed", String(state.settings.estimates));
  const text = isEstimateShown(state) ? estimateText(state) : "";
  if (byId("estimate-text").textContent !== text) byId("estimate-text").textContent = text;
}

function renderActions(state) {
  const { game, human, at, files, autoplay, exercise } = state;
  byId("files").hidden = !files.length;
  byId("resign").disabled = !canResign(state);
  byId("delete").disabled = !game.node.parent;
  byId("undo").disabled = !game.undoTarget(human);
  byId("redo").disabled = !game.redoTarget(human);
  byId("score").hidden = !canScore(state);
  byId("pass").classList.toggle("primary", isClosed(state));
  byId("score").setAttribute("aria-pressed", String(Boolean(at.score)));
  byId("autoplay").textContent = t(autoplay ? "stop" : "autoplay");
  byId("autoplay").disabled = Boolean(exercise) || (!autoplay && !game.next());
}

/** Who plays from a position of a game. */
function renderPlayFrom(state) {
  const { game, human, opponent } = state;
  const { played } = game;
  byId("play-from").disabled = !canPlayFrom(state);
  byId("stop-playing").hidden = !human || !(played || game.root.properties !== undefined);
  byId("playing").hidden = !played;
  if (!played) return;
  const number = game.moveNumber(played.from);
  const who = human === "both" ? t(number ? "fromMoveBoth" : "fromStartBoth", { number })
    : t(number ? "fromMoveAgainst" : "fromStartAgainst",
      { number, colour: colourName(human), opponent: opponentName(state, opponent) });
  byId("playing").textContent = game.isInPlay() ? who : `${who} ${t("notInThatGame")}`;
}

const ENDS = { R: ["youWonByResignation", "youResigned"], T: ["youWonOnTime", "youLostOnTime"], "": ["youWon", "youLost"] };

/** 'You won by 1.5.' */
function endText(result, won) {
  const how = result.slice(2);
  const points = Number(how);
  if (how && points) return t(won > 0 ? "youWonBy" : "youLostBy", { points });
  const [asWinner, asLoser] = ENDS[how] ?? ENDS[""];
  return t(won > 0 ? asWinner : asLoser);
}

/** The result of a game that was played, its count, and what can follow. */
function renderEnd(state) {
  const { game: { result, opponents, isGo }, human, opponent, at: { score } } = state;
  const isOver = Boolean(human && result);
  byId("game-over").hidden = !isOver;
  for (const id of ["pass", "hint", "estimate", "resign"]) byId(id).hidden = isOver;
  if (!isOver) {
    renderScore(null);
    return;
  }
  const won = outcome(state);
  byId("game-over-title").textContent = won ? endText(result, won) : sentence(resultText(result));
  renderScore(score);
  const step = opponents && human !== "both" ? nextStep(state) : 0;
  const next = step ? nextOpponent(opponents, opponent, step) : opponent;
  const isOther = next !== opponent;
  byId("game-over-text").textContent = isOther ? t(step > 0 ? "nextStronger" : "nextWeaker", { opponent: opponentName(state, next) }) : "";
  byId("over-again").textContent = t(isOther ? step > 0 ? "againStronger" : "againWeaker" : "again");
  byId("over-again").dataset.value = isOther ? step : 0;
  byId("over-same").hidden = !isOther;
  byId("over-again").disabled = !opponents;
  const deciding = decidingMoves(state);
  byId("deciding").hidden = !deciding.length;
  byId("over-one-thing").hidden = !isGo || human === "both" || deciding.length > 0;
  updateChildren(byId("deciding-moves"), deciding.map((loss, i) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: decidingText(state, loss) });
    Object.assign(button.dataset, { action: "practiseDeciding", value: i });
    const item = document.createElement("li");
    item.append(button);
    return item;
  }));
}

/** 'Move 12: C3 lost about 8 points. White captured 4 stones at D4.' */
function decidingText(state, { node, vertex, lost, unit, visits }) {
  const { game } = state;
  const facts = [t("moveLost", { vertex, loss: formatLossWithUnit(lost, unit, visits) }), danger(state, node),
    game.line()[node.index] === node ? "" : t("takenBack")];
  return t("criticalMove", { number: game.printedNumber(node), facts: facts.filter(Boolean).join(" ") });
}

const COUNT_MILLISECONDS = 900;
let counted = null;                      // the score whose count runs up, or has

/** The points of both sides as bars, which run up when a score is new. */
function renderScore(score) {
  if (score === counted) return;
  const isNew = counted === null && matchMedia("(prefers-reduced-motion: no-preference)").matches;
  counted = score;
  const sides = !score ? [] : [["B", score.points.B, 0], ["W", score.points.W, score.komi + score.handicap_bonus]];
  const most = Math.max(...sides.map(([, points, bonus]) => points + bonus));
  const outputs = sides.map(([colour, points, bonus]) => {
    const [row, bar, output] = ["div", "i", "output"].map((name) => document.createElement(name));
    row.className = colour === "B" ? "black" : "white";
    row.append(colourName(colour), bar, output);
    const show = (share) => {
      bar.style.setProperty("--share", `${(100 * share * (points + bonus) / most).toFixed(1)}%`);
      output.textContent = bonus ? t("pointsAndKomi", { points: Math.round(share * points), komi: bonus, sum: share * points + bonus })
        : formatNumber(Math.round(share * points));
    };
    show(isNew ? 0 : 1);
    return [row, show];
  });
  byId("score-bars").replaceChildren(...outputs.map(([row]) => row));
  if (!isNew) return;
  const start = performance.now();
  const run = (now) => {
    if (counted !== score) return;
    const share = Math.min(1, (now - start) / COUNT_MILLISECONDS);
    for (const [, show] of outputs) show(share);
    if (share < 1) requestAnimationFrame(run);
  };
  requestAnimationFrame(run);
}

/** 'Black is ahead by about 5 points.'  By the lead that is next to the board, if it is known. */
function estimateText(state) {
  const { ownership } = state.game.node;
  if (!ownership) return t("counting");
  const lead = currentValues(state)?.lead ?? ownership.lead;
  const points = Math.round(Math.abs(lead));
  if (!points) return t("aboutEven");
  return t("isAhead", { colour: colourName(lead > 0 ? "B" : "W"), count: points });
}
