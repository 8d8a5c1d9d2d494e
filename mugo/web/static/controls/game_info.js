// The dialog of the game information, and the fields of a node in which text is written.

import { editGameInfo, gameInfoTexts, setNodeValues } from "../actions/edit.js";
import { answerTo } from "../ask.js";
import { escaped } from "../core/properties.js";
import { byId } from "../dom.js";
import { change, state } from "../store.js";

byId("comment").onfocus = () => change(() => { state.writing = state.game.node; });
byId("comment").onblur = () => change(() => { state.writing = null; });

let named = null;                        // the node whose name is edited
byId("node-name").onfocus = () => { named = state.game.node; };
byId("node-name").onchange = ({ target }) => {
  const name = target.value.trim();
  setNodeValues("N", name ? [escaped(name)] : [], named ?? state.game.node);
};
byId("node-name").onblur = () => change();

const infoForm = document.querySelector("#game-info-dialog form");
const infoFields = [...infoForm.querySelectorAll("input, textarea")];

/** Ask for the game information, and change what of it was edited. */
export async function askGameInfo() {
  const shown = gameInfoTexts();         // identifier -> text when the dialog was opened
  for (const field of infoFields) {
    field.value = shown[field.name] ?? "";
    shown[field.name] = field.value;     // without line breaks in a field of one line
    if (field.name === "KM") field.pattern = /^([+-]?\d+(\.\d+)?)?$/.test(field.value) ? "[+\\-]?\\d+(\\.\\d+)?" : ".*";
  }
  if (await answerTo(byId("game-info-dialog")) !== "set") return;
  const changed = infoFields.filter(({ name, value }) => value.trim() !== shown[name].trim());
  editGameInfo(Object.fromEntries(changed.map(({ name, value }) => [name, value.trim()])));
}
