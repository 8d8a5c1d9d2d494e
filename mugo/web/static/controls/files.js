// Files that are dropped or pasted, the record that is copied, and the question before a game is left that is not saved.

import { openTransferred, recordText } from "../actions/files.js";
import { t } from "../core/texts.js";
import { byId } from "../dom.js";
import { showMessage, state } from "../store.js";

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

addEventListener("copy", (event) => {
  if (!state.game || !getSelection().isCollapsed || event.target.closest?.("input, textarea, select, dialog")) return;
  event.preventDefault();
  event.clipboardData.setData("text/plain", recordText());
  showMessage(t("recordCopied"));
});

addEventListener("beforeunload", (event) => {
  if (!(state.game?.isUnsaved && state.storageProblem)) return;
  event.preventDefault();
  event.returnValue = true;              // for browsers in which preventDefault does not ask
});
