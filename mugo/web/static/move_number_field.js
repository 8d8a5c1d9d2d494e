// The list of which stones have move numbers; the browser remembers it.

import { render, showMessage } from "./render.js";
import { byId } from "./state.js";

const STORED = "mugo-move-numbers";      // in localStorage: the value of the list
const field = byId("move-numbers");
let last = "all";                        // what the key shows again

try {
  select(localStorage.getItem(STORED) ?? "0");
} catch {
  // storage is forbidden
}

function select(value) {
  if ([...field.options].some((option) => option.value === value)) field.value = value;
  if (field.value !== "0") last = field.value;
}

function store() {
  select(field.value);
  try {
    localStorage.setItem(STORED, field.value);
  } catch {
    // storage is full or forbidden
  }
  render();
}
field.onchange = store;

/** Show the numbers as before, or hide them. */
export function toggleMoveNumbers() {
  field.value = field.value === "0" ? last : "0";
  store();
  showMessage(`Move numbers: ${field.selectedOptions[0].text}.`);
}
