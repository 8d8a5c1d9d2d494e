// Files that are dropped or pasted, and the question before a game is left that is not saved.

import { openTransferred } from "../actions/files.js";
import { byId } from "../dom.js";
import { state } from "../store.js";

for (const name of ["dragenter", "dragover"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    byId("drop").hidden = !event.dataTransfer.types.includes("Files");
  });
}
addEventListener("dragleave", (event) => { if (!event.relatedTarget) byId("drop").hidden = true; });
addEventListener("drop", (event) => {
  event.preventDefault();
  byId("drop").hidden = true;
  openTransferred(event.dataTransfer);
});
addEventListener("paste", (event) => {
  if (event.target.closest?.("input, textarea, select, dialog")) return;
  event.preventDefault();
  openTransferred(event.clipboardData);
});

addEventListener("beforeunload", (event) => {
  if (!state.game?.isUnsaved) return;
  event.preventDefault();
  event.returnValue = true;              // for browsers in which preventDefault does not ask
});
