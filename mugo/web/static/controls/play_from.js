// The dialog "Play from here".

import { playFrom } from "../actions/play.js";
import { answerTo } from "../ask.js";
import { t } from "../core/texts.js";
import { byId } from "../dom.js";
import { canPlayFrom } from "../queries.js";
import { state } from "../store.js";
import { addClockFields, clockSettings, listOpponents } from "./dialogs.js";

const form = document.querySelector("#play-from-dialog form");
addClockFields(form);
form.addEventListener("change", () => { form.opponent.disabled = form.colour.value === "both"; });

/** Ask who plays from the current node, and begin. */
export async function askPlayFrom() {
  if (!canPlayFrom(state)) return;
  const { game, human, opponent } = state;
  listOpponents(form.opponent, game.opponents, opponent, game.isGo);
  form.colour.value = ["B", "W"].includes(human) ? human : game.toPlay();
  form.opponent.disabled = false;
  byId("play-from-title").textContent = game.moveNumber() ? t("playFromMove", { number: game.moveNumber() })
    : t("playFromHere");
  if (await answerTo(byId("play-from-dialog")) !== "start") return;
  playFrom({ human: form.colour.value, opponent: form.opponent.value || null, clock: clockSettings(form) });
}

for (const id of ["play-from", "play-from-review"]) byId(id).onclick = askPlayFrom;
