// The dialog that begins a game.

import { begin } from "./games.js";
import { by, state } from "./page.js";
import { say } from "./render.js";

const form = document.querySelector("#begin form");

/** Offer what the server has. */
export function fillChoices() {
  const select = document.querySelector("[name=level]");
  const groups = new Map();
  for (const { key, group, name } of state.levels) {
    if (!groups.has(group)) groups.set(group, Object.assign(document.createElement("optgroup"), { label: group }));
    groups.get(group).append(new Option(name, key, false, key === "mcts-200"));
  }
  select.replaceChildren(...groups.values());
  by("plane").replaceChildren(...state.planes.map((name, i) => new Option(name, i)));
  fillHandicaps();
}

/** Offer the handicaps that go with the board. */
function fillHandicaps() {
  const size = Number(new FormData(document.querySelector("#begin form")).get("size"));
  const most = size < 7 ? 0 : size < 9 ? 4 : 9;
  const select = document.querySelector("[name=handicap]");
  const before = Number(select.value);
  select.replaceChildren(new Option("none", 0));
  for (let stones = 2; stones <= most; stones++) select.append(new Option(`${stones} stones`, stones));
  select.value = before <= most ? before : 0;
}

form.addEventListener("change", ({ target }) => {
  if (target.name === "size") fillHandicaps();
  if (target.name === "size" || target.name === "handicap") form.komi.value = Number(form.handicap.value) ? 0.5 : 7.5;
  form.level.disabled = form.colour.value === "both";
});
by("begin").addEventListener("close", () => {
  if (by("begin").returnValue !== "begin") return;
  begin({ size: Number(form.size.value), komi: Number(form.komi.value), handicap: Number(form.handicap.value),
    human: form.colour.value, level: form.level.value }).catch((error) => say(error.message, true));
});
