// Elements of the page, and lists that are drawn again while a person uses them.
//
// A browser drops a click whose element was replaced between press and release, and the focus with it, so the elements of a
// list stay, and only what differs in them changes.

import { language, t } from "./core/texts.js";

export const LANGUAGE_KEY = "mugo-language";     // in localStorage: the setting

export const byId = (id) => document.getElementById(id);

/** Give the elements with data-text, data-title, data-label and data-key their texts, and the page its language. */
export function translatePage() {
  const clocks = byId("clock-fields").content;
  for (const element of [document, clocks].flatMap((each) => [...each.querySelectorAll("[data-text]")])) {
    element.replaceChildren(...withKeys(t(element.dataset.text)));
  }
  for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
  for (const element of document.querySelectorAll("[data-title], [data-action], kbd[data-key-of]")) {
    const { title } = element.dataset;
    const key = keyName(element);
    if (element.tagName === "KBD") element.textContent = key;
    else if (title) element.title = t(title) + (key && ` (${key})`);
    else if (key && !element.matches("input")) element.title = key;
  }
  document.documentElement.lang = language;
}

const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
const TRANSLATED_KEYS = { " ": "keySpace", Delete: "keyDelete", Home: "keyHome", End: "keyEnd" };

/** The name of the key of an element: its own, or that of the action that it has or names in data-key-of; "" for none. */
function keyName({ dataset: { action, value, keyOf, key } }) {
  const [name, of = ""] = keyOf?.split(" ") ?? [action, value];
  const found = key ?? document.querySelector(`[data-action="${name}"]${of && `[data-value="${of}"]`}[data-key]`)?.dataset.key ?? "";
  return found in TRANSLATED_KEYS ? t(TRANSLATED_KEYS[found]) : KEY_NAMES[found] ?? found.toUpperCase();
}

/** A text whose parts between ` are keys of the keyboard, as nodes. */
const withKeys = (text) => text.split("`").map((part, i) => (i % 2
  ? Object.assign(document.createElement("kbd"), { textContent: part }) : part));

/** Save a file from the page. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Give a parent these children: those that it has stay, and become like the new ones. */
export function updateChildren(parent, children) {
  const hadFocus = parent.contains(document.activeElement);
  children.forEach((child, i) => {
    const before = parent.childNodes[i];
    if (!before) parent.append(child);
    else if (before.nodeName !== child.nodeName) before.replaceWith(child);
    else if (!before.isEqualNode(child)) become(before, child);
  });
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
  if (hadFocus && !parent.contains(document.activeElement)) parent.lastElementChild?.focus();
}

function become(before, child) {
  if (child.nodeType === Node.TEXT_NODE) {
    before.data = child.data;
    return;
  }
  for (const { name } of [...before.attributes]) if (!child.hasAttribute(name)) before.removeAttribute(name);
  for (const { name, value } of child.attributes) if (before.getAttribute(name) !== value) before.setAttribute(name, value);
  updateChildren(before, [...child.childNodes]);
}

/** Call choose with the item of a clicked list element: the item that it had when it was pressed.
    meaning: the meaning of an element, null if it has none. */
export function onChoice(list, meaning, choose) {
  let pressed = null;
  list.addEventListener("pointerdown", ({ target }) => { pressed = meaning(target); });
  list.addEventListener("click", ({ target, detail }) => {
    const found = meaning(target);                       // null if the pointer has left the element
    if (found !== null) choose((detail && pressed) || found);        // detail is 0 for a key
  });
}
