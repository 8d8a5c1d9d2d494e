// What the person wants to have analysed.  effects/jobs.js runs the searches.

import { valuesOf } from "../core/analysis.js";
import { percent, t } from "../core/texts.js";
import { isGameOver, shownSearch } from "../queries.js";
import { change, resetAt, state } from "../store.js";
import { exerciseHint } from "./exercises.js";
import { setOverlay } from "./settings.js";

/** Start the analysis, or stop it or the search of a hint. */
export function toggleAnalysis() {
  if (state.exercise) return;
  change(({ game, at, settings }) => {
    const isOn = !state.analyzing && !at.isHintWanted && !isGameOver(game.node);
    Object.assign(state, { analyzing: isOn, lineAnalysis: null });
    Object.assign(at, { isHintWanted: false, message: null });
    if (state.analyzing && ["none", "policy"].includes(settings.overlay)) setOverlay("search");
  });
}

/** Show the best move of the position, and when it is shown, why; in an exercise first the part of the board where it is. */
export function hint() {
  if (state.exercise) {
    exerciseHint();
    return;
  }
  change(({ game, at }) => {
    if (state.job?.kind === "genmove" || isGameOver(game.node)) return;
    if (at.hinted) {
      const { win_rate: rate, pv } = shownSearch(state).moves[0];
      Object.assign(at, { overlay: "search", message: { text: t("hintWhy", { rate: percent(rate), line: pv.slice(0, 6).join(" ") }) } });
      return;
    }
    Object.assign(at, { isHintWanted: true, message: { text: t("searchingBest") } });
    state.lineAnalysis = null;
  });
}

/** Start, go on with, or stop the analysis of every move of the current line; what has been searched is passed over.

    lineAnalysis: { game, line, from, nodes, done, depth, isDeeper, searched, spent }.  from: the node on the board, in
    whose place the largest mistake comes at the end; nodes: those of the line, and then those around its mistakes
    (isDeeper); done: how many of them; searched, spent: for review.secondsLeft. */
export function toggleLineAnalysis() {
  if (state.lineAnalysis) {
    change(() => { state.lineAnalysis = null; });
    return;
  }
  change(({ game, settings }) => {
    resetAt();
    const line = [...game.line()];
    const { depth } = settings;
    const lineAnalysis = { game, line, from: game.node, nodes: line, done: 0, depth, isDeeper: false, searched: 0, spent: 0 };
    Object.assign(state, { analyzing: false, lineAnalysis });
    evaluateLine();
  });
}

/** Show the review of the game on the board, and begin it, unless the record has a search of nearly every position. */
export function startReview() {
  change(({ game, settings }) => {
    Object.assign(settings, { mode: "review", overlay: "search" });
    const isNew = game.line().filter((node) => !valuesOf(node)).length > 1;
    if (isNew && game.root.children.length && !state.lineAnalysis) toggleLineAnalysis();
    else evaluateLine();
  });
}

/** Request the network's value and score of every position of the current line. */
export function evaluateLine() { change(({ game }) => { state.segments = game.segments(); }); }
