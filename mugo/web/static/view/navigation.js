// The steps through the game: the slider, the buttons, the variations, and the moves of the line as a list, a page of it
// where the line is long.

import { language, t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";

export function renderNavigation({ game }) {
  const { length } = game.line();
  const index = game.index();
  const [moveNumber, moves] = [game.moveNumber(), game.moveNumber(game.line().at(-1))];
  Object.assign(byId("slider"), { max: length - 1, value: index });
  byId("slider").setAttribute("aria-valuetext", t("moveOf", { number: moveNumber, count: moves }));
  byId("move-number").textContent = `${moveNumber} / ${moves}`;
  for (const button of document.querySelectorAll("#navigation button")) {
    button.disabled = ["first", "previous"].includes(button.dataset.value) ? index === 0 : index === length - 1;
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

const PAGE = 200;                        // moves
let drawn = {};
let frame = 0;

export function renderMoveList({ game, settings }) {
  if (settings.mode !== "play") return;
  const index = game.index();
  const page = Math.floor(Math.max(0, index - 1) / PAGE);
  const now = { line: game.line(), page, changes: game.changes, language };
  const list = byId("move-list");
  if (Object.keys(now).some((name) => now[name] !== drawn[name])) {
    drawn = now;
    const nodes = now.line.slice(1 + PAGE * page, 1 + PAGE * (page + 1));
    updateChildren(list, nodes.map((node, i) => item(game, node, 1 + PAGE * page + i)));
  }
  const current = list.children[index - 1 - PAGE * page];
  const marked = list.querySelector("[aria-current]");
  if (marked === current) return;
  marked?.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "true");
  cancelAnimationFrame(frame);           // with the browser's own layout, which a step does not wait for
  frame = requestAnimationFrame(() => { list.scrollTop = current ? current.offsetTop - list.clientHeight / 2 : 0; });
}

function item(game, node, index) {
  const element = document.createElement("li");
  element.className = node.move?.[0] ?? "";          // its column
  const button = document.createElement("button");
  button.dataset.index = index;
  button.tabIndex = -1;                  // the arrow keys go from move to move
  const number = Object.assign(document.createElement("small"), { textContent: node.move ? game.printedNumber(node) : "" });
  const colour = document.createElement("i");
  colour.className = { B: "black", W: "white" }[node.move?.[0]] ?? "setup";
  button.append(number, colour, node.move?.slice(2) ?? t(node.stones ? "setup" : "commentNode"));
  element.append(button);
  return element;
}
