// Questions to the person: dialogs whose answer is a promise.

import { t } from "./core/texts.js";
import { byId } from "./dom.js";
import { state } from "./store.js";

/** Show a dialog; resolves with the value of the button that closes it, "" if the person cancels. */
export function answerTo(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => { dialog.onclose = () => resolve(dialog.returnValue); });
}

/** Ask a question; resolves with whether the person has chosen the action.  A question that is open stays. */
export async function confirm(question, action) {
  const dialog = byId("confirm-dialog");
  if (dialog.open) return false;
  byId("confirm-question").textContent = question;
  dialog.querySelector("[value=yes]").textContent = action;
  return await answerTo(dialog) === "yes";
}

/** Ask before another game takes the place of one that is lost then: neither saved nor kept by the browser. */
export async function confirmReplacing(action) {
  return !(state.game?.isUnsaved && state.storageProblem) || confirm(t("notSaved"), action);
}

/** Ask for one of several items, { text, disabled } each; resolves with its number, from 0, or with null. */
export async function choose(title, items) {
  byId("collection-title").textContent = title;
  byId("collection").replaceChildren(...items.map(({ text, disabled = false }, i) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("button"), { value: i, disabled, textContent: text }));
    return item;
  }));
  const number = await answerTo(byId("collection-dialog"));
  return /^\d+$/.test(number) ? Number(number) : null;
}

/** Ask for a label; resolves with null if the person cancels. */
export async function askLabel(vertex, before) {
  byId("label-title").textContent = t("labelOn", { vertex });
  byId("label-text").value = before;
  const answer = answerTo(byId("label-dialog"));
  byId("label-text").select();
  return await answer === "set" ? byId("label-text").value : null;
}
