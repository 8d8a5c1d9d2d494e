// The dialogs "Share": a picture of the board, an animation of moves, the record as text; and "Paste a record".

import { fileName, openText, recordText, saveFile } from "../actions/files.js";
import { answerTo } from "../ask.js";
import { nodesBetween, proposedMoves } from "../core/move_numbers.js";
import { formatNumber, t } from "../core/texts.js";
import { byId, download } from "../dom.js";
import { fetchPosition } from "../requests.js";
import { showError, state } from "../store.js";
import { animation, boardPicture } from "../view/picture.js";

const SECONDS = [0.5, 1, 2, 3, 5];       // of each position of an animation

const dialog = byId("share-dialog");
const form = dialog.querySelector("form");
const image = byId("share-preview").querySelector("img");
let made = null;                         // { blob, name } of what is shown; null while it is not made
let work = 0;                            // the number of the newest picture or animation: an earlier one is dropped

const kind = () => form.elements.kind.value;
const stem = () => fileName(state.game).replace(/\.sgf$/, "");
const note = (text) => { byId("share-note").textContent = text; };

form.elements.seconds.append(...SECONDS.map((seconds) => new Option(t("seconds", { seconds }), seconds)));
form.elements.seconds.value = 1;

/** Show the dialog. */
export function openShare() {
  const { from, to, last } = proposedMoves(state.game);
  Object.assign(form.elements.from, { value: from, max: last });
  Object.assign(form.elements.to, { value: to, max: last });
  form.querySelector("[value=animation]").disabled = !last;
  if (kind() === "animation" && !last) form.elements.kind.value = "picture";
  const [width, height] = byId("board").getAttribute("viewBox").split(" ").slice(2);
  byId("share-preview").style.setProperty("--ratio", width / height);
  image.alt = t("board");
  dialog.showModal();
  update();
}
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
  byId("share-save").textContent = kind() === "animation" && !made ? t("makeAnimation") : t("save");
  byId("share-save").disabled = kind() === "picture" && !made;
  byId("share-copy").hidden = kind() === "animation" || !(isText || canCopyPictures());
  byId("share-copy").disabled = !(isText || made);
  byId("share-send").hidden = !sent();
}

// ---- saving and making

/** Save what is shown; an animation is made first. */
export function saveShared() {
  if (kind() === "record") {
    saveFile();
    dialog.close();
  } else if (made) {
    download(made.blob, made.name);
    note(t("savedAs", { name: made.name }));
  } else if (form.reportValidity()) {
    makeAnimation().catch((error) => note(error.message));
  }
}

async function makeAnimation() {
  const number = ++work;
  const { game } = state;
  const [from, to] = ["from", "to"].map((name) => Number(form.elements[name].value)).sort((a, b) => a - b);
  const nodes = nodesBetween(game, from, to);
  byId("share-save").disabled = true;
  const progress = (done) => {
    if (number !== work) return false;
    note(t("makingFrame", { number: done + 1, count: nodes.length }));
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
    note(t("animationMade", { count: nodes.length, size: sizeText(blob.size) }));
  } finally {
    byId("share-save").disabled = false;
    if (number === work) renderButtons();
  }
}

const sizeText = (bytes) => (bytes < 1e6 ? `${formatNumber(bytes / 1e3, 0)} kB` : `${formatNumber(bytes / 1e6, 1)} MB`);

// ---- the clipboard, and other programs

const canCopyPictures = () => Boolean(navigator.clipboard?.write && globalThis.ClipboardItem);

/** Copy what is shown. */
export async function copyShared() {
  try {
    if (kind() === "record") await copyText();
    else await navigator.clipboard.write([new ClipboardItem({ "image/png": made.blob })]);
    note(t(kind() === "record" ? "recordCopied" : "pictureCopied"));
  } catch {
    if (kind() === "record") byId("share-text").select();
    note(t(kind() === "record" ? "pressCopy" : "pictureNotCopied"));
  }
}

/** Copy the record: by the clipboard's interface, or where that is forbidden, as on a page without https, by the command. */
async function copyText() {
  const text = byId("share-text");
  try {
    await navigator.clipboard.writeText(text.value);
  } catch {
    text.select();
    if (!document.execCommand("copy")) throw new Error(t("pressCopy"));
  }
}

/** What the Web Share API gives to another program; null where there is none. */
function sent() {
  if (!navigator.canShare) return null;
  const file = kind() === "record" ? new File([byId("share-text").value], fileName(state.game), { type: "text/plain" })
    : made && new File([made.blob], made.name, { type: made.blob.type });
  return file && navigator.canShare({ files: [file] }) ? { files: [file] } : null;
}

export const sendShared = () => navigator.share(sent()).catch(() => {});      // the person has cancelled

// ---- pasting

/** Ask for the text of a record, and open it. */
export async function askPasted(_, button) {
  button.closest("dialog").close();
  byId("paste-text").value = "";
  byId("paste-error").hidden = true;
  byId("paste-clipboard").hidden = !navigator.clipboard?.readText;
  if (await answerTo(byId("paste-dialog")) === "open") openText(byId("paste-text").value).catch(showError);
}

export async function pasteFromClipboard() {
  byId("paste-text").focus();
  try {
    byId("paste-text").value = await navigator.clipboard.readText();
  } catch {
    byId("paste-error").hidden = false;
  }
}
