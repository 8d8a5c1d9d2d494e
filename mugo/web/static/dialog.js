// The dialog that begins a game.

import { begin, usualLevel } from "./games.js";
import { capital } from "./layer.js";
import { by, link } from "./page.js";
import { say } from "./render.js";

const form = document.querySelector("#begin form");

/** The game chosen, as the server's "new" takes it. */
function rules() {
  if (form.game.value === "go") {
    return { name: "go", size: Number(form.size.value), komi: Number(form.komi.value), handicap: Number(form.handicap.value) };
  }
  const [size, k] = form.board.value === "other" ? [form.lines.value, form.k.value] : form.board.value.split(" ");
  return { name: "gomoku", size: Number(size), k: Number(k), exactly: form.exactly.checked };
}

/** Offer what goes with the game and the board. */
export function fillChoices() {
  const isGo = form.game.value === "go";
  form.dataset.game = form.game.value;
  by("other").hidden = form.board.value !== "other";
  form.lines.disabled = form.k.disabled = isGo || by("other").hidden;      // what is hidden need not be right
  form.komi.disabled = !isGo;
  form.k.max = Math.max(3, form.lines.value);
  form.level.disabled = form.colour.value === "both";
  fillHandicaps();
}

function fillHandicaps() {
  const size = Number(form.size.value);
  const most = size < 7 ? 0 : size < 9 ? 4 : 9;
  const before = Number(form.handicap.value);
  form.handicap.replaceChildren(new Option("none", 0));
  for (let stones = 2; stones <= most; stones++) form.handicap.append(new Option(`${stones} stones`, stones));
  form.handicap.value = before <= most ? before : 0;
}

let asked = 0;

/** Offer the opponents that there are for the game: not all games have a network. */
export async function fillLevels() {
  const number = ++asked;
  let offers = { levels: [], without_network: null };
  try {
    offers = await link.ask("offers", { game: { ...rules(), handicap: 0, black: [], white: [], first: "B" }, moves: [] });
  } catch (error) {
    offers.without_network = error.message;
  }
  if (number !== asked) return;
  const groups = new Map();
  for (const { key, group, name } of offers.levels) {
    if (!groups.has(group)) groups.set(group, Object.assign(document.createElement("optgroup"), { label: group }));
    groups.get(group).append(new Option(name, key));
  }
  form.level.replaceChildren(...groups.values());
  form.level.value = usualLevel(offers, wanted);
  by("offers").hidden = !offers.without_network;
  by("offers").textContent = offers.without_network ? capital(offers.without_network) : "";
}

let wanted = null;                       // the level that was chosen last; another game may lack it

form.addEventListener("change", ({ target }) => {
  fillChoices();
  if (target.name === "level") wanted = target.value;
  if (target.name === "size" || target.name === "handicap") form.komi.value = Number(form.handicap.value) ? 0.5 : 7.5;
  if (["game", "size", "board", "lines", "k", "exactly"].includes(target.name)) fillLevels();
});
by("begin").addEventListener("close", () => {
  if (by("begin").returnValue !== "begin") return;
  begin(rules(), { human: form.colour.value, level: form.level.value }).catch((error) => say(error.message, true));
});
