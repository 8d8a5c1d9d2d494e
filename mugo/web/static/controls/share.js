// The dialogs "Share": a picture of the board, an animation of moves, the record as text; and "Paste a record".

import { fileName, openText, recordText, saveFile } from "../actions/files.js";
import { nodesBetween, proposedMoves } from "../core/share.js";
import { byId, download } from "../dom.js";
import { fetchPosition } from "../requests.js";
import { showError, state } from "../store.js";
import { animation, boardPicture } from "../view/picture.js";

const [MAKE, SAVE] = ["Make animation", "Save"];
const COPIED = { picture: "The picture is copied.", record: "The record is copied." };
const PRESS_COPY = "Press Ctrl+C to copy the text.";
const NOT_COPIED = "The browser does not let the page copy a picture. Save it.";
const NOT_READ = "The browser does not let the page read the clipboard. Paste into the field.";

const dialog = byId("share-dialog");
const form = dialog.querySelector("form");
const image = byId("share-preview").querySelector("img");
let made = null;                         // { blob, name } of what is shown; null while it is not made
let work = 0;                            // the number of the newest picture or animation: an earlier one is dropped

const kind = () => form.elements.kind.value;
const stem = () => fileName(state.game).replace(/\.sgf$/, "");
const note = (text) => { byId("share-note").textContent = text; };

byId("share").onclick = () => {
  const { from, to, last } = proposedMoves(state.game);
  Object.assign(form.elements.from, { value: from, max: last });
  Object.assign(form.elements.to, { value: to, max: last });
  form.querySelector("[value=animation]").disabled = !last;
  if (kind() === "animation" && !last) form.elements.kind.value = "picture";
  const [width, height] = byId("board").getAttribute("viewBox").split(" ").slice(2);
  byId("share-preview").style.setProperty("--ratio", width / height);
  dialog.showModal();
  update();
};
form.onchange = () => update();
dialog.addEventListener("close", () => {
  work += 1;                             // an animation that is being made is dropped
  show(null);
});

/** Show what was chosen: the picture, the board before an animation is made, or the text. */
async function update() {
  const number = ++work;
  for (const element of form.querySelectorAll("[data-kinds]")) element.hidden = !element.dataset.kinds.split(" ").includes(kind());
  note("");
  made = null;
  renderButtons();
  if (kind() === "record") {
    byId("share-text").value = recordText();
    return;
  }
  try {
    await fetchPosition(state.game, state.game.node);
    await new Promise((resolve) => { setTimeout(resolve); });        // until it is drawn
    const blob = await boardPicture(Number(form.elements.size.value));
    if (number !== work) return;
    show(blob);
    if (kind() === "picture") made = { blob, name: `${stem()}-${state.game.moveNumber()}.png` };
    renderButtons();
  } catch (error) {
    note(error.message);
  }
}

/** Show a picture; null: none. */
function show(blob) {
  URL.revokeObjectURL(image.src);
  if (blob) image.src = URL.createObjectURL(blob);
  else image.removeAttribute("src");
}

function renderButtons() {
  const isText = kind() === "record";
  byId("share-save").textContent = kind() === "animation" && !made ? MAKE : SAVE;
  byId("share-save").disabled = kind() === "picture" && !made;
  byId("share-copy").hidden = kind() === "animation" || !(isText || canCopyPictures());
  byId("share-copy").disabled = !(isText || made);
  byId("share-send").hidden = !sent();
}

// ---- saving and making

byId("share-save").onclick = () => {
  if (kind() === "record") {
    saveFile();
    dialog.close();
  } else if (made) {
    download(made.blob, made.name);
    note(`Saved as ${made.name}.`);
  } else if (form.reportValidity()) {
    makeAnimation().catch((error) => note(error.message));
  }
};

async function makeAnimation() {
  const number = ++work;
  const { game } = state;
  const [from, to] = ["from", "to"].map((name) => Number(form.elements[name].value)).sort((a, b) => a - b);
  const nodes = nodesBetween(game, from, to);
  byId("share-save").disabled = true;
  const progress = (done) => {
    if (number !== work) return false;
    note(`Position ${done + 1} of ${nodes.length}…`);
    return true;
  };
  try {
    for (const node of nodes) {
      if (number !== work) return;
      await fetchPosition(game, node);
    }
    const options = { longest: Number(form.elements.size.value), seconds: Number(form.elements.seconds.value) };
    const blob = await animation(state, nodes, options, progress);
    if (!blob) return;
    show(blob);
    made = { blob, name: `${stem()}-${from}-${to}.gif` };
    note(`${nodes.length} positions, ${sizeText(blob.size)}.`);
  } finally {
    byId("share-save").disabled = false;
    if (number === work) renderButtons();
  }
}

const sizeText = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

// ---- the clipboard, and other programs

const canCopyPictures = () => Boolean(navigator.clipboard?.write && globalThis.ClipboardItem);

byId("share-copy").onclick = async () => {
  try {
    if (kind() === "record") await copyText();
    else await navigator.clipboard.write([new ClipboardItem({ "image/png": made.blob })]);
    note(COPIED[kind()]);
  } catch {
    if (kind() === "record") byId("share-text").select();
    note(kind() === "record" ? PRESS_COPY : NOT_COPIED);
  }
};

/** Copy the record: by the clipboard's interface, or where that is forbidden, as on a page without https, by the command. */
async function copyText() {
  const text = byId("share-text");
  try {
    await navigator.clipboard.writeText(text.value);
  } catch {
    text.select();
    if (!document.execCommand("copy")) throw new Error("not copied");
  }
}

/** What another program is given: of the Web Share API; null where there is none. */
function sent() {
  if (!navigator.canShare) return null;
  const file = kind() === "record" ? new File([byId("share-text").value], fileName(state.game), { type: "text/plain" })
    : made && new File([made.blob], made.name, { type: made.blob.type });
  return file && navigator.canShare({ files: [file] }) ? { files: [file] } : null;
}

byId("share-send").onclick = () => navigator.share(sent()).catch(() => {});      // the person has cancelled

// ---- pasting

for (const button of document.querySelectorAll("button.paste")) {
  button.onclick = () => {
    button.closest("dialog").close();
    byId("paste-text").value = "";
    byId("paste-clipboard").hidden = !navigator.clipboard?.readText;
    byId("paste-dialog").returnValue = "";
    byId("paste-dialog").showModal();
  };
}
byId("paste-clipboard").onclick = async () => {
  byId("paste-text").focus();
  try {
    byId("paste-text").value = await navigator.clipboard.readText();
  } catch {
    byId("paste-text").placeholder = NOT_READ;
  }
};
byId("paste-dialog").onclose = () => {
  if (byId("paste-dialog").returnValue === "open") openText(byId("paste-text").value).catch(showError);
};
