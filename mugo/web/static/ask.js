// Questions before something is lost.

import { byId, state } from "./state.js";

/** Ask a question; resolves with whether the person has chosen the action.  A question that is open stays. */
export function confirm(question, action) {
  const dialog = byId("confirm-dialog");
  if (dialog.open) return Promise.resolve(false);
  byId("confirm-question").textContent = question;
  dialog.querySelector("[value=yes]").textContent = action;
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.querySelector("form").onsubmit = ({ submitter }) => resolve(submitter.value === "yes");
    dialog.oncancel = () => resolve(false);
  });
}

/** Ask before another game takes the place of one that is not saved. */
export async function confirmReplacing(action) {
  return !state.game?.isUnsaved || confirm("The game on the board is not saved. Another game takes its place.", action);
}
