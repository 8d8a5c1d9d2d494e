// The dialog "New game".

import { addClockFields, clockSettings } from "./clock_view.js";
import { confirmReplacing } from "./ask.js";
import { parseSize } from "./core/coordinates.js";
import { sentence } from "./current_overlay.js";
import { newGame } from "./games.js";
import { listOpponents } from "./opponents.js";
import { showMessage } from "./render.js";
import { byId, connection } from "./state.js";

const TERRITORY = ["Japanese", "Korean"];
const form = document.querySelector("#new-game-dialog form");
addClockFields(form);
let preferredOpponent = null;            // the last one selected; another game may not have it
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
  form.opponent.disabled = form.colour.value === "both";
  updateHandicaps();
}

function updateHandicaps() {
  const { rows, cols } = parseSize(rules().size);
  const shortest = Math.min(rows, cols);
  const most = shortest < 7 ? 0 : shortest < 9 || rows % 2 === 0 || cols % 2 === 0 ? 4 : 9;
  const selected = Number(form.handicap.value);
  form.handicap.replaceChildren(new Option("none", 0));
  for (let stones = 2; stones <= most; stones++) form.handicap.append(new Option(`${stones} stones`, stones));
  form.handicap.value = selected <= most ? selected : 0;
}

/** List the opponents in the selected game; without a network there are fewer. */
export async function updateOpponents() {
  const request = ++lastRequest;
  let answer = { opponents: [], network_error: null };
  try {
    answer = await connection.request("opponents",
      { game: { ...rules(), handicap: 0, black: [], white: [], first: "B" }, moves: [] });
  } catch (error) {
    answer.network_error = error.message;
  }
  if (request !== lastRequest) return;
  listOpponents(form.opponent, answer.opponents, preferredOpponent);
  byId("network-error").hidden = !answer.network_error;
  byId("network-error").textContent = answer.network_error ? sentence(answer.network_error) : "";
}

form.addEventListener("change", ({ target }) => {
  updateFields();
  if (target.name === "opponent") preferredOpponent = target.value;
  if (["size", "handicap", "rules"].includes(target.name)) {
    form.komi.value = Number(form.handicap.value) ? 0.5 : TERRITORY.includes(form.rules.value) ? 6.5 : 7.5;
  }
  if (["game", "size", "columns", "rows", "board", "board_columns", "board_rows", "k", "exactly"].includes(target.name)) updateOpponents();
});
byId("new-game-dialog").addEventListener("close", async () => {
  if (byId("new-game-dialog").returnValue !== "start" || !await confirmReplacing("Start a new game")) return;
  newGame(rules(), { human: form.colour.value, opponent: form.opponent.value, clock: clockSettings(form) })
    .catch((error) => showMessage(error.message, true));
});
