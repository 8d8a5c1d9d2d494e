// The review: mistakes, depth, exercises, progress.

import { endExercise, exerciseHint, nextQuestion, showSolution, startExercise } from "../actions/exercises.js";
import { leaveMistake, showMistake, stepMistake, switchMistakeLine } from "../actions/review.js";
import { estimateRank } from "../actions/rank.js";
import { set } from "../actions/settings.js";
import { listEntries, readEntry } from "../core/autosave.js";
import { dateOf, ownStatistics } from "../core/progress.js";
import { byId, onChoice } from "../dom.js";
import { storeNow } from "../effects/storage.js";
import { change, state } from "../store.js";
import { renderProgress } from "../view/progress.js";

const mistakeOf = (element) => state.game.line()[element.closest("tr[data-index]")?.dataset.index] ?? null;
onChoice(byId("mistake-list"), mistakeOf, showMistake);
byId("mistake-list").onkeydown = ({ key, target }) => {
  if (key === "Enter" && mistakeOf(target)) showMistake(mistakeOf(target));
};

const CLICKS = {
  "previous-mistake": () => stepMistake(-1), "next-mistake": () => stepMistake(1),
  "show-better-line": () => switchMistakeLine("better"), "show-played-line": () => switchMistakeLine("played"),
  "leave-mistake": leaveMistake,
  "start-puzzles": () => startExercise("puzzles", byId("exercise-colour").value),
  "start-guess": () => startExercise("guess", byId("exercise-colour").value),
  "exercise-hint": exerciseHint, "exercise-solution": showSolution, "exercise-next": nextQuestion,
  "exercise-end": endExercise, "show-progress": openProgress,
};
for (const [id, action] of Object.entries(CLICKS)) byId(id).onclick = () => action();
byId("depth").onchange = ({ target }) => set({ depth: target.value });
byId("whose").onchange = ({ target }) => set({ whose: target.value });
byId("exercise-colour").onchange = () => change();

// ---- progress

function openProgress() {
  storeNow();
  byId("own-name").value = state.settings.name;
  listProgress();
  byId("progress-dialog").showModal();
}

byId("own-name").onchange = ({ target }) => {
  set({ name: target.value.trim() });
  listProgress();
};
byId("own-name").onkeydown = (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();                // it would close the dialog
  byId("own-name").blur();               // the name has changed
};

function listProgress() {
  let entries = [];
  try {
    entries = listEntries(localStorage);
  } catch {
    // storage is forbidden: there are no games
  }
  const games = entries.map((entry) => ({ ...entry, date: dateOf(entry), own: ownIn(entry) })).filter(({ own }) => own);
  games.sort((a, b) => a.date.localeCompare(b.date) || a.saved - b.saved);
  renderProgress(games, entries.length - games.length);
  byId("own-rank").textContent = "";
  byId("estimate-rank").hidden = !state.game.ranks.length;
  byId("estimate-rank").onclick = () => showOwnRank(games);
}

/** Estimate the person's rank from these games, and show it unless the name has changed meanwhile. */
async function showOwnRank(games) {
  const { name } = state.settings;
  const show = (text) => { if (state.settings.name === name) byId("own-rank").textContent = text; };
  byId("estimate-rank").disabled = true;
  try {
    await estimateRank(games.toReversed().map(({ id, own }) => ({ stored: readEntry(localStorage, id).body.game, colour: own.colour })), show);
  } catch (error) {
    show(error.message);
  } finally {
    byId("estimate-rank").disabled = false;
  }
}

/** The person's statistics in a stored game; null if it has none, or cannot be read. */
function ownIn({ id }) {
  try {
    return ownStatistics(readEntry(localStorage, id).body, state.settings.name);
  } catch {
    return null;
  }
}
