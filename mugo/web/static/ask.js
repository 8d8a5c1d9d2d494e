// Questions to the person: dialogs whose answer is a promise.

import { t } from "./core/texts.js";
import { byId } from "./dom.js";
import { state } from "./store.js";

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
  return !state.game?.isUnsaved || confirm(t("notSaved"), action);
}

/** Ask for one of several items, { text, disabled } each; resolves with its number, from 0, or with null. */
export function choose(title, items) {
  const dialog = byId("collection-dialog");
  byId("collection-title").textContent = title;
  byId("collection").replaceChildren(...items.map(({ text, disabled = false }, i) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("button"), { value: i, disabled, textContent: text }));
    return item;
  }));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(/^\d+$/.test(dialog.returnValue) ? Number(dialog.returnValue) : null);
  });
}

/** Ask for a label; resolves with null if the person cancels. */
export function askLabel(vertex, before) {
  const dialog = byId("label-dialog");
  byId("label-title").textContent = t("labelOn", { vertex });
  byId("label-text").value = before;
  dialog.returnValue = "";
  dialog.showModal();
  byId("label-text").select();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "set" ? byId("label-text").value : null);
  });
}
