// The panel of the tools, the fields of a node, the dialog of the game information, and their keys.

import { annotate, changeTurn, editGameInfo, gameInfoTexts, selectTool, setNodeValues, toggleEditing, undoEdit } from "../actions/edit.js";
import { answerTo } from "../ask.js";
import { escaped } from "../core/properties.js";
import { TOOLS } from "../core/tools.js";
import { byId } from "../dom.js";
import { change, state } from "../store.js";

const KEYS = { v: changeTurn, ...Object.fromEntries(Object.entries(TOOLS).map(([name, { key }]) => [key, () => selectTool(name)])) };

/** What a key does to the editing; undefined if it does nothing. */
export function editAction(key) {
  if (key === "e") return () => toggleEditing();
  return state.tool === null ? undefined : KEYS[key];
}

byId("edit").onclick = () => toggleEditing();
byId("tools").onchange = ({ target }) => selectTool(target.value);
byId("edit-undo").onclick = () => undoEdit();
byId("edit-redo").onclick = () => undoEdit(true);
byId("edit-turn").onclick = changeTurn;

addEventListener("keydown", (event) => {
  if (state.tool === null || document.querySelector("dialog[open]") || event.target.closest("textarea, input[type=text]")) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey && (key === "z" || key === "y")) {
    event.preventDefault();
    undoEdit(key === "y" || event.shiftKey);
  } else if (key === "escape" && state.at.lineStart) {
    change(({ at }) => { at.lineStart = null; });
  }
});

// ---- the name and the annotations of a node

let named = null;                        // the node whose name is edited
byId("node-name").onfocus = () => { named = state.game.node; };
byId("node-name").onchange = ({ target }) => {
  const name = target.value.trim();
  setNodeValues("N", name ? [escaped(name)] : [], named ?? state.game.node);
};
byId("node-name").onblur = () => change();
byId("position-annotation").onchange = ({ target }) => annotate(0, target.value);
byId("move-annotation").onchange = ({ target }) => annotate(1, target.value);
byId("hotspot").onchange = ({ target }) => setNodeValues("HO", target.checked ? ["1"] : []);

// ---- the game information

const infoForm = document.querySelector("#game-info-dialog form");
const infoFields = [...infoForm.querySelectorAll("input, textarea")];

byId("edit-info").onclick = async () => {
  const shown = gameInfoTexts();         // identifier -> text when the dialog was opened
  for (const field of infoFields) {
    field.value = shown[field.name] ?? "";
    shown[field.name] = field.value;     // without line breaks in a field of one line
    if (field.name === "KM") field.pattern = /^([+-]?\d+(\.\d+)?)?$/.test(field.value) ? "[+\\-]?\\d+(\\.\\d+)?" : ".*";
  }
  if (await answerTo(byId("game-info-dialog")) !== "set") return;
  const changed = infoFields.filter(({ name, value }) => value.trim() !== shown[name].trim());
  editGameInfo(Object.fromEntries(changed.map(({ name, value }) => [name, value.trim()])));
};
