// The moves of the game: the main line in two columns, what each of them lost, comments under their move, variations
// indented.  A page of the main line is drawn, and of variations a number of moves, those to the current node first.

import { mainLine } from "../core/game.js";
import { formatShortLoss, lossOf, lossSentence, unitOf } from "../core/losses.js";
import { language, t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import { areLossesShown } from "../queries.js";

const PAGE = 200;                        // moves of the main line, and of each variation
const ROOM = 400;                        // moves of all variations but the one on the board
const MOST_NESTED = 20;

let drawn = {};
let shown = [];                          // the nodes of the buttons, by data-node
let path = new Set();                    // the nodes that lead to the current one, in a variation
let room = ROOM;
let unit = null;                         // of the losses that are shown; null: none
let frame = 0;

export function renderMoves(state) {
  const { game } = state;
  const { node } = game;
  const fork = game.branching();
  const page = Math.floor(Math.max(0, (fork ?? node).index - 1) / PAGE);
  const now = { game, changes: game.changes, revision: game.revision, page, hasLosses: areLossesShown(state), language,
    variation: fork && game.lines, part: fork && Math.floor(node.index / PAGE) };
  const list = byId("move-list");
  const hadFocus = list.contains(document.activeElement);
  if (Object.keys(now).some((name) => now[name] !== drawn[name])) {
    drawn = now;
    updateChildren(list, content(game, page, now.hasLosses, fork));
  }
  const current = list.querySelector(`[data-node="${shown.indexOf(node)}"]`);
  const reached = current ?? list.querySelector("button");          // by Tab
  const before = list.querySelector("[tabindex='0']");
  if (before === reached && before?.hasAttribute("aria-current") === Boolean(current)) return;
  before?.setAttribute("tabindex", -1);
  before?.removeAttribute("aria-current");
  reached?.setAttribute("tabindex", 0);
  current?.setAttribute("aria-current", "true");
  if (hadFocus) current?.focus({ preventScroll: true });
  cancelAnimationFrame(frame);           // with the browser's own layout, which a step does not wait for
  frame = requestAnimationFrame(showCurrent);
}

function showCurrent() {
  const list = byId("move-list");
  const current = list.querySelector("[aria-current]");
  list.scrollTop = current ? current.offsetTop - list.clientHeight / 2 : 0;
}
new ResizeObserver(showCurrent).observe(byId("move-list"));          // a window that is resized, a phone that is turned

/** The node of an element of the list; null for another one. */
export const nodeOf = (element) => shown[element.closest("[data-node]")?.dataset.node] ?? null;

function content(game, page, hasLosses, fork) {
  const line = mainLine(game.root);
  [shown, path, room, unit] = [[], new Set(), ROOM, hasLosses ? unitOf(line) : null];
  for (let node = fork ? game.node : null; node; node = node.parent) path.add(node);
  const nodes = line.slice(1 + PAGE * page, 1 + PAGE * (page + 1));
  return [...(page ? [] : comments(game.root)), ...nodes.flatMap((node) => [moveButton(game, node), ...comments(node), ...variations(game, node, 0)])];
}

const comments = ({ comment }) => (comment ? [Object.assign(document.createElement("p"), { textContent: comment })] : []);

/** The variations that take the place of a node. */
const variations = (game, node, nested) => node.parent.children.filter((each) => each !== node && (room > 0 || path.has(each)))
  .map((first) => variation(game, first, nested + 1));

function variation(game, first, nested) {
  const element = document.createElement("div");
  let node = first;
  // Of a long one that is on the board, the part that is.
  if (path.has(first) && game.node.index - first.index >= PAGE) {
    node = [...path].find(({ index }) => index === game.node.index - game.node.index % PAGE);
    element.append("… ");
  }
  for (let count = 0; node && count < PAGE && (room > 0 || path.has(node)); node = node.children[0], count++) {
    room -= 1;
    element.append(moveButton(game, node), ...comments(node), ...(node !== first && nested < MOST_NESTED ? variations(game, node, nested) : []));
  }
  if (node) element.append("…");
  return element;
}

function moveButton(game, node) {
  const button = document.createElement("button");
  const [colour, vertex] = node.move?.split(" ") ?? [];
  button.className = colour ?? "setup";                // its column
  button.dataset.node = shown.push(node) - 1;
  button.tabIndex = -1;                  // the arrow keys go from move to move
  const number = Object.assign(document.createElement("small"), { textContent: colour ? game.printedNumber(node) : "" });
  const icon = document.createElement("i");
  icon.className = { B: "black", W: "white" }[colour] ?? "setup";
  button.append(number, icon, vertex ?? t(node.stones ? "setup" : "commentNode"));
  const loss = unit && lossOf(node.parent, node, unit);
  if (loss?.isListed) {
    const text = formatShortLoss(loss.lost, unit, loss.visits);
    button.append(Object.assign(document.createElement("b"), { className: `loss-text level-${loss.level}`, textContent: text }));
    button.title = lossSentence(loss, game.printedNumber(node));
  }
  return button;
}
