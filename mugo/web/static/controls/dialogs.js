// What all dialogs have in common: lists of opponents, and fields of a clock.

import { defaultOpponent, descriptionText, groupText, strengthText, technicalText } from "../core/opponents.js";
import { capital, joined, t } from "../core/texts.js";
import { byId } from "../dom.js";

/** Fill a list with the opponents of a game, in groups, each with its strength, and describe the selected one below it. */
export function listOpponents(select, opponents, preferred, isGo) {
  const groups = new Map();
  for (const opponent of opponents) {
    const { key, level } = opponent;
    const label = groupText(opponent, isGo);
    if (!groups.has(label)) groups.set(label, Object.assign(document.createElement("optgroup"), { label }));
    groups.get(label).append(new Option(joined(capital(t("level", { level })), strengthText(opponent) ?? t("notMeasured")), key));
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

/** Put the fields of the time system into a dialog's form, before its menu. */
export function addClockFields(form) {
  const fields = byId("clock-fields").content.cloneNode(true);
  form.querySelector("menu").before(fields);
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
export function clockSettings(form) {
  const system = form.clock.value;
  if (system === "none") return null;
  const [main, period, periods, increment] = ["main", "period", "periods", "increment"].map((name) => Number(form[name].value));
  return system === "fischer" ? { main: 60 * main, period: 0, periods: 0, increment }
    : { main: 60 * main, period, periods, increment: 0 };
}

// Buttons that cancel.  They are no submit buttons, so that Enter in a field confirms.
for (const button of document.querySelectorAll("dialog button[type=button][value=cancel]")) {
  button.onclick = () => button.closest("dialog").close("");
}
