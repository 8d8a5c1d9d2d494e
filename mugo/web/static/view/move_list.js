// The moves of the current line as a list, a page of it where the line is long; a step only moves the mark.

import { language, t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";

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
