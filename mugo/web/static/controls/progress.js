// The dialog "My progress".

import { set } from "../actions/settings.js";
import { listEntries, readEntry } from "../core/autosave.js";
import { dateOf, ownStatistics } from "../core/review.js";
import { byId } from "../dom.js";
import { storeNow } from "../effects/storage.js";
import { kept } from "../kept.js";
import { state } from "../store.js";
import { renderProgress } from "../view/progress.js";

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
  const entries = listEntries(kept);
  const games = entries.map((entry) => ({ ...entry, date: dateOf(entry), own: ownIn(entry) })).filter(({ own }) => own);
  games.sort((a, b) => a.date.localeCompare(b.date) || a.saved - b.saved);
  renderProgress(state, games, entries.length - games.length);
}

/** The person's statistics in a stored game; null if it has none, or cannot be read. */
function ownIn({ id }) {
  try {
    return ownStatistics(readEntry(kept, id).body, state.settings.name);
  } catch {
    return null;
  }
}
