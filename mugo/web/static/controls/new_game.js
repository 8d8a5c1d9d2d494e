// The dialogs "New game" and "Play from here".  The browser remembers the choices of the last new game.

import { newGame } from "../actions/files.js";
import { playFrom } from "../actions/play.js";
import { chooseLanguage, set } from "../actions/settings.js";
import { answerTo, confirmReplacing } from "../ask.js";
import { parseSize } from "../core/coordinates.js";
import { PRESETS, defaultOpponent, descriptionText, groupText, presetOpponent, strengthText, technicalText } from "../core/opponents.js";
import { capital, joined, languageNames, sentence, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { canPlayFrom } from "../queries.js";
import { server } from "../server.js";
import { showError, state } from "../store.js";

// ---- what both dialogs have

/** Fill a list with the opponents of a game, in groups, each with its strength, and describe the selected one below it. */
function listOpponents(select, opponents, preferred, isGo) {
  const groups = new Map();
  for (const opponent of opponents) {
    const { key, level } = opponent;
    const label = groupText(opponent, isGo);
    if (!groups.has(label)) groups.set(label, Object.assign(document.createElement("optgroup"), { label }));
    groups.get(label).append(new Option(joined(capital(t("level", { level })), strengthText(opponent)), key));
  }
  select.replaceChildren(...groups.values());
  select.value = defaultOpponent(opponents, preferred);
  const describe = () => {
    const opponent = opponents.find(({ key }) => key === select.value);
    const note = select.closest("form").querySelector(".opponent-note");
    const small = Object.assign(document.createElement("small"), { textContent: opponent ? technicalText(opponent) : "" });
    note.replaceChildren(opponent ? `${descriptionText(opponent)} ` : "", small);
  };
  select.onchange = describe;
  describe();
}

/** Put the fields of the time system into a dialog's form. */
function addClockFields(form) {
  const fields = byId("clock-fields").content.cloneNode(true);
  form.querySelector(".clock-place").append(fields);
  const show = () => {
    const system = form.clock.value;
    for (const label of form.querySelectorAll("[data-clock]")) {
      label.hidden = !label.dataset.clock.split(" ").includes(system);
      label.querySelector("input").disabled = label.hidden;
    }
  };
  form.clock.addEventListener("change", show);
  show();
}

/** The selected time system, as GameClock's settings; null without a clock. */
function clockSettings(form) {
  const system = form.clock.value;
  if (system === "none") return null;
  const [main, period, periods, increment] = ["main", "period", "periods", "increment"].map((name) => Number(form[name].value));
  return system === "fischer" ? { main: 60 * main, period: 0, periods: 0, increment }
    : { main: 60 * main, period, periods, increment: 0 };
}

// ---- a new game

const STORED = "mugo-new-game";          // in localStorage: name of a field -> its value
const TERRITORY = ["Japanese", "Korean"];
const form = document.querySelector("#new-game-dialog form");
addClockFields(form);
let preferredOpponent = PRESETS[0].opponents[0];         // the last one selected; another game may not have it
let opponents = [];                      // of the selected game
let lastRequest = 0;                     // number of the last request for opponents; earlier answers are ignored

const sizeText = (columns, rows) => `${Number(columns.value)}x${Number(rows.value)}`;

/** The selected game, as the fields of the request "new". */
function rules() {
  if (form.game.value === "go") {
    const size = form.size.value === "other" ? sizeText(form.columns, form.rows) : form.size.value;
    return { name: "go", size, komi: Number(form.komi.value), handicap: Number(form.handicap.value),
      rules: form.rules.value };
  }
  const [size, k] = form.board.value !== "other" ? form.board.value.split(" ")
    : [sizeText(form.board_columns, form.board_rows), form.k.value];
  return { name: "gomoku", size, k: Number(k), exactly: form.exactly.checked };
}

/** Show the fields of the selected game and board. */
export function updateFields() {
  const isGo = form.game.value === "go";
  form.dataset.game = form.game.value;
  byId("other-board").hidden = form.board.value !== "other";
  byId("other-size").hidden = form.size.value !== "other";
  form.columns.disabled = form.rows.disabled = !isGo || byId("other-size").hidden;
  for (const name of ["board_columns", "board_rows", "k"]) {
    form[name].disabled = isGo || byId("other-board").hidden;                // hidden fields are not validated
  }
  form.komi.disabled = form.rules.disabled = !isGo;
  form.k.max = Math.max(3, form.board_columns.value, form.board_rows.value);
  for (const field of [form.opponent, ...form.preset]) field.disabled = form.colour.value === "both";
  updateHandicaps();
}

function updateHandicaps() {
  const { rows, cols } = parseSize(rules().size);
  const shortest = Math.min(rows, cols);
  const most = shortest < 7 ? 0 : shortest < 9 || rows % 2 === 0 || cols % 2 === 0 ? 4 : 9;
  const selected = Number(form.handicap.value);
  form.handicap.replaceChildren(new Option(t("handicapNone"), 0));
  for (let stones = 2; stones <= most; stones++) form.handicap.append(new Option(t("handicapStones", { count: stones }), stones));
  form.handicap.value = selected <= most ? selected : 0;
}

/** List the opponents in the selected game; without a network there are fewer. */
export async function updateOpponents() {
  const request = ++lastRequest;
  let answer = { opponents: [], network_error: null };
  try {
    answer = await server.request("opponents",
      { game: { ...rules(), handicap: 0, black: [], white: [], first: "B" }, moves: [] });
  } catch (error) {
    answer.network_error = error.message;
  }
  if (request !== lastRequest) return;
  ({ opponents } = answer);
  listOpponents(form.opponent, opponents, preferredOpponent, form.game.value === "go");
  for (const { value, nextElementSibling: label } of form.preset) {
    const found = opponents.find(({ key }) => key === presetOpponent(PRESETS[value], opponents));
    const name = found?.strength?.wins === undefined ? found && strengthText(found) : t("level", found);
    label.querySelector("small").textContent = name ?? "";
  }
  showPreset();
  byId("network-error").hidden = !answer.network_error;
  byId("network-error").textContent = answer.network_error ? sentence(answer.network_error) : "";
}

/** Select the preset of the selected opponent, if there is one. */
function showPreset() {
  for (const field of form.preset) field.checked = presetOpponent(PRESETS[field.value], opponents) === form.opponent.value;
}

form.addEventListener("change", ({ target }) => {
  updateFields();
  if (target.name === "preset") {
    form.opponent.value = presetOpponent(PRESETS[target.value], opponents);
    form.opponent.onchange();
  }
  if (["opponent", "preset"].includes(target.name)) preferredOpponent = form.opponent.value;
  showPreset();
  if (["size", "handicap", "rules"].includes(target.name)) {
    form.komi.value = Number(form.handicap.value) ? 0.5 : TERRITORY.includes(form.rules.value) ? 6.5 : 7.5;
  }
  if (["game", "size", "columns", "rows", "board", "board_columns", "board_rows", "k", "exactly"].includes(target.name)) updateOpponents();
});

form.addEventListener("invalid", () => { form.querySelector("details").open = true; }, true);

/** Start a game; against the opponents of a beginner mistakes are offered back. */
function startGame(fields, opponent, human = "B", clock = null) {
  const { teachingLevel } = PRESETS.find(({ opponents: [key] }) => key === opponent) ?? {};
  if (fields.name === "go" && human !== "both" && teachingLevel) set({ teaching: true, teachingLevel });
  newGame(fields, { human, opponent, clock }).catch(showError);
}

/** Ask for a new game, and start it. */
export async function askNewGame() {
  if (await answerTo(byId("new-game-dialog")) !== "start" || !await confirmReplacing(t("startNewGame"))) return;
  startGame(rules(), form.opponent.value, form.colour.value, clockSettings(form));
  remember();
}

/** The game after the boards to learn on. */
export function playFirstGame() {
  startGame({ name: "go", size: 9, komi: 7.5, handicap: 0, rules: "Chinese" }, PRESETS[0].opponents[0]);
}

// ---- the last choices

function remember() {
  const choices = Object.fromEntries([...form.elements].filter(({ name, type }) => name && type !== "radio")
    .map((field) => [field.name, field.type === "checkbox" ? field.checked : field.value]));
  for (const name of ["game", "size", "board", "colour"]) choices[name] = form[name].value;
  try {
    localStorage.setItem(STORED, JSON.stringify(choices));
  } catch {
    // storage is full or forbidden
  }
}

/** Select what was chosen last. */
export function recall() {
  let choices = {};
  try {
    choices = JSON.parse(localStorage.getItem(STORED)) ?? {};
  } catch {
    return;                              // storage is forbidden, or damaged
  }
  const { opponent, handicap, ...others } = choices;
  preferredOpponent = opponent ?? preferredOpponent;
  for (const [name, value] of Object.entries(others)) {
    if (!form[name]) continue;
    if (form[name].type === "checkbox") form[name].checked = value;
    else form[name].value = value;
  }
  form.clock.dispatchEvent(new Event("change"));
  updateHandicaps();
  if (handicap) form.handicap.value = handicap;
}

// ---- playing from a position

const fromForm = document.querySelector("#play-from-dialog form");
addClockFields(fromForm);
fromForm.addEventListener("change", () => { fromForm.opponent.disabled = fromForm.colour.value === "both"; });

/** Ask who plays from the current node, and begin. */
export async function askPlayFrom() {
  if (!canPlayFrom(state)) return;
  const { game, human, opponent } = state;
  listOpponents(fromForm.opponent, game.opponents, opponent, game.isGo);
  fromForm.colour.value = ["B", "W"].includes(human) ? human : game.toPlay();
  fromForm.opponent.disabled = false;
  byId("play-from-title").textContent = game.moveNumber() ? t("playFromMove", { number: game.moveNumber() })
    : t("playFromHere");
  if (await answerTo(byId("play-from-dialog")) !== "start") return;
  playFrom({ human: fromForm.colour.value, opponent: fromForm.opponent.value || null, clock: clockSettings(fromForm) });
}

byId("language").append(...languageNames.map(([tag, name]) => new Option(name, tag)));

/** Show the page in a language, "auto" for the browser's. */
export function changeLanguage(language) {
  chooseLanguage(language);
  updateFields();
  updateOpponents();
}
