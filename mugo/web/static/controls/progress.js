// The dialog "My progress".

import { estimateRank } from "../actions/rank.js";
import { set } from "../actions/settings.js";
import { listEntries, readEntry } from "../core/autosave.js";
import { dateOf, ownStatistics } from "../core/review.js";
import { byId } from "../dom.js";
import { storeNow } from "../effects/storage.js";
import { state } from "../store.js";
import { renderProgress } from "../view/progress.js";

let games = [];                          // the stored games of the person, the oldest first

/** Show how well the person has played in the stored games. */
export function openProgress() {
  storeNow();
  byId("own-name").value = state.settings.name;
  listProgress();
  byId("progress-dialog").showModal();
}

export function setOwnName(name) {
  set({ name: name.trim() });
  listProgress();
}
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
  games = entries.map((entry) => ({ ...entry, date: dateOf(entry), own: ownIn(entry) })).filter(({ own }) => own);
  games.sort((a, b) => a.date.localeCompare(b.date) || a.saved - b.saved);
  renderProgress(state, games, entries.length - games.length);
  byId("own-rank").textContent = "";
  byId("estimate-rank").hidden = !state.game.ranks.some((rank) => rank.endsWith("k"));     // else it would call everybody dan
}

/** Estimate the person's rank from these games, and show it unless the name has changed meanwhile. */
export async function estimateOwnRank() {
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
