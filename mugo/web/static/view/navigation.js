// The slider, the buttons that step, and the variations of the current position.

import { t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";

export function renderNavigation({ game }) {
  const { length } = game.line();
  const index = game.index();
  const [moveNumber, moves] = [game.moveNumber(), game.moveNumber(game.line().at(-1))];
  Object.assign(byId("slider"), { max: length - 1, value: index });
  byId("slider").setAttribute("aria-valuetext", t("moveOf", { number: moveNumber, count: moves }));
  byId("move-number").textContent = `${moveNumber} / ${moves}`;
  for (const button of document.querySelectorAll("[data-step]")) {
    button.disabled = ["first", "previous"].includes(button.dataset.step) ? index === 0 : index === length - 1;
  }
  const { children, selected } = game.node;
  const variations = byId("variations");
  variations.hidden = children.length < 2;
  updateChildren(variations, children.length < 2 ? [] : children.map((child, i) => {
    const button = document.createElement("button");
    const move = child.move?.slice(2) ?? t(child.stones ? "setup" : "commentNode");
    button.textContent = i ? move : t("mainLine", { move });
    button.setAttribute("aria-pressed", String(i === selected));
    return button;
  }));
  byId("branch").hidden = !game.branching();
}
