// What the person wants to have analysed.  effects/jobs.js runs the searches.

import { isGameOver, isAnalysisHidden } from "../queries.js";
import { change, resetAt, state } from "../store.js";
import { setOverlay } from "./settings.js";

/** Start the analysis, or stop it or the search of a hint. */
export function toggleAnalysis() {
  change(({ game, at, settings }) => {
    const isOn = !state.analyzing && !at.isHintWanted && !isGameOver(game.node);
    Object.assign(state, { analyzing: isOn, lineAnalysis: null });
    Object.assign(at, { isHintWanted: false, message: null });
    if (state.analyzing && ["none", "policy"].includes(settings.overlay)) setOverlay("search");
  });
}

/** Show the best move of the position. */
export function hint() {
  change(({ game, at }) => {
    if (state.job?.kind === "genmove" || isGameOver(game.node)) return;
    Object.assign(at, { isHintWanted: true, message: { text: "Searching for the best move…" } });
    if (!isAnalysisHidden(state)) at.overlay = "search";
    state.lineAnalysis = null;
  });
}

/** Start or stop the analysis of every move of the current line. */
export function toggleLineAnalysis() {
  if (state.lineAnalysis) {
    change(() => { state.lineAnalysis = null; });
    return;
  }
  change(({ game }) => {
    resetAt();
    Object.assign(state, { lineAnalysis: { game, nodes: [...game.line()], done: 0 }, analyzing: false });
    evaluateLine();
  });
}

/** Request the network's value and score of every position of the current line. */
export function evaluateLine() { change(({ game }) => { state.segments = game.segments(); }); }
