// The steps through the game: the slider and the buttons.

import { t } from "../core/texts.js";
import { byId } from "../dom.js";

export function renderNavigation({ game }) {
  const { length } = game.line();
  const index = game.index();
  const [moveNumber, moves] = [game.moveNumber(), game.moveNumber(game.line().at(-1))];
  Object.assign(byId("slider"), { max: length - 1, value: index });
  byId("slider").setAttribute("aria-valuetext", t("moveOf", { number: moveNumber, count: moves }));
  byId("move-number").textContent = `${moveNumber} / ${moves}`;
  for (const button of document.querySelectorAll("#navigation [data-action=step]")) {
    button.disabled = ["first", "previous"].includes(button.dataset.value) ? index === 0 : index === length - 1;
  }
  byId("back").disabled = byId("promote").disabled = !game.branching();
}
