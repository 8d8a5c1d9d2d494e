// A game tree.  The rules are the server's.
//
//   start   the server's answer to "new" or "load" without its nodes: name, size, komi and handicap or k and exactly,
//           black, white, first, info
//   node    one node of the SGF tree: { move: "B Q16", parent, children, index: how many nodes are before it, comment,
//           analysis: of analysis.js, final: the analysis of a counted result, times: of both clocks after the move }, and
//           the server's answers about it: position, policy, planes, ownership, value and value_lead of the network,
//           thinking: an opponent's search, not an analysis; why: of core/why.js; box: of core/exercises.js.  A node of a file has all its properties as SGF text in
//           `properties`.  `stones` and `first` are of a node whose position has no history: setup stones, or an illegal
//           move (`illegal`).
//
// The current node is the one on the board.  The current line leads through it along the selected children.
// Undo and redo go along it and remove nothing.
//
// A game is played from its root, or from a node of it (`played`): then only the nodes of that game belong to it, and
// its result is not that of the record.

import { compact, ofResult } from "./analysis.js";
import { GameClock, timeLeft } from "./clock.js";
import { formatVertex, parseSize } from "./coordinates.js";
import { givenNumber } from "./properties.js";
import { analysisIn } from "./sgf.js";

const STORED = ["move", "comment", "properties", "stones", "first", "illegal", "times", "selected", "final", "box"];      // of a node
const ANSWERS = ["position", "policy", "planes", "ownership", "value", "value_lead", "evaluation", "thinking"];    // of the server

export class Game {
  #line = null;                          // the current line, and the counts for which it holds
  #numbers = null;                       // of the moves, and the revision for which they hold

  /** Of the server's answer, or of toJSON. */
  constructor({ nodes, notice, fileName = null, ...start }) {
    this.start = start;
    this.size = parseSize(start.size);   // { rows, cols }
    this.changes = 0;                    // of the tree's shape, counted
    this.lines = 0;                      // of the current line, counted
    this.revision = 0;                   // of all that is stored but the current node, counted
    this.notice = notice;                // what of the file was not read
    this.fileName = fileName;            // the name of the file that was opened, with which it is saved
    this.info = start.info ?? {};
    const created = [];
    for (const { parent, win_rate: winRate, lead = null, visits, ...fields } of nodes) {
      const node = newNode(created[parent] ?? null, fields);
      node.parent?.children.push(node);
      created.push(node);
      if (winRate !== undefined) node.analysis ??= { win_rate: winRate, lead, visits, moves: [] };      // of its comment
      const written = analysisIn(node, this.size, this.toPlay(node));
      if (written && !node.analysis?.moves.length) node.analysis = written;
    }
    this.root = this.node = created[0];
    this.opponents = null;               // the server's answer to "opponents"
    this.networkError = null;            // why no network plays this game
    this.ranks = [];                     // of players whose moves the network knows, the weakest first
    this.end = this.info.result ? this.line().at(-1) : null;     // the node in which the game ended with its result
    if (this.end && this.isCounted(this.end)) this.end.final = ofResult(this.info.result) ?? undefined;
    this.undone = null;                  // the node that undo led to: the game goes on there
    this.edits = { done: [], undone: [] };               // steps of actions/edit.js
    this.writtenInfo = { ...this.info };                 // what the root's properties have of the info, if it has properties
    this.played = null;                  // the game that is played from a node of this one; see playFrom
    this.clock = null;                   // the GameClock of the game that is played
    this.savedAs = null;                 // its place in the browser's storage; see core/autosave.js
    this.isUnsaved = false;              // whether moves, comments, results or analyses have changed since it was saved
  }

  get isGo() { return this.start.name !== "gomoku"; }

  /** All that is stored has changed.  isUnsaved: whether a file that was saved lacks it. */
  touch(isUnsaved = true) {
    this.revision += 1;
    this.isUnsaved ||= isUnsaved;
  }

  /** Whether the game in a node, if it ends there, ends by the rules: after two passes, or in Gomoku with a row. */
  isCounted({ position, move, parent }) {
    const isPass = (each) => Boolean(each?.endsWith(" pass"));
    return position?.is_over ?? (!this.isGo || (isPass(move) && isPass(parent?.move)));
  }

  /** The fields of a request that name the position of a node. */
  requestFields(node = this.node) {
    const { info, ...game } = this.start;
    const moves = [];
    for (let each = node; each.parent; each = each.parent) {
      if (each.stones) {
        const vertices = (mark) => [...each.stones].flatMap((stone, i) =>
          (stone === mark ? [formatVertex(Math.floor(i / this.size.cols), i % this.size.cols, this.size)] : []));
        Object.assign(game, { black: vertices("X"), white: vertices("O"), first: each.first });
        break;
      }
      if (isPlayed(each)) moves.push(each.move);
    }
    return { game, moves: moves.reverse() };
  }

  /** The current line in parts, each of which begins with the root or with a node whose position has no history. */
  segments() {
    const segments = [];
    for (const node of this.line()) {
      if (!node.parent || node.stones) segments.push([]);
      segments.at(-1).push(node);
    }
    return segments;
  }

  /** The nodes of the current line, the root first. */
  line() {
    if (this.#line?.changes !== this.changes || this.#line.lines !== this.lines) {
      const nodes = [];                  // the current node is among them: goTo selects it
      for (let node = this.root; node; node = this.next(node)) nodes.push(node);
      this.#line = { nodes, changes: this.changes, lines: this.lines };
    }
    return this.#line.nodes;
  }

  next(node = this.node) { return node.children[node.selected] ?? null; }

  /** The place of a node in the current line; the root's is 0. */
  index(node = this.node) { return node.index; }

  /** The number of moves up to a node. */
  moveNumber(node = this.node) { return this.#numbersOf(node).count; }

  /** The number that a node's move has in print: one more than the move before, unless the file gives another one (MN). */
  printedNumber(node = this.node) { return this.#numbersOf(node).printed; }

  #numbersOf(node) {
    if (this.#numbers?.revision !== this.revision) this.#numbers = { revision: this.revision, of: new WeakMap() };
    const { of } = this.#numbers;
    const nodes = [];                    // up to the first one whose numbers are known
    let each = node;
    for (; each && !of.has(each); each = each.parent) nodes.push(each);
    let numbers = each ? of.get(each) : { count: 0, printed: 0 };
    while (nodes.length) {
      const next = nodes.pop();
      const step = next.move ? 1 : 0;
      numbers = { count: numbers.count + step, printed: givenNumber(next) ?? numbers.printed + step };
      of.set(next, numbers);
    }
    return numbers;
  }

  /** The colour that plays after a node, "B" or "W". */
  toPlay(node = this.node) {
    for (let each = node; each.parent; each = each.parent) {
      if (each.stones) return each.first;
      if (isPlayed(each)) return each.move[0] === "B" ? "W" : "B";
    }
    return this.start.first;
  }

  /** Whether a node belongs to the game that is played. */
  isInPlay(node = this.node) { return !this.played || this.played.nodes.has(node); }

  /** Play from the current node: the new moves are a variation of it, and the nodes from before stay as they are.

      played: from, the nodes of the game, its result, the node in which it ended, and whether its moves are the record's
      main line, which then gets the result too.  A root without moves and result begins an ordinary game. */
  playFrom() {
    const { node } = this;
    const isMainLine = !node.children.length && !this.branching() && !this.info.result;
    const isNew = isMainLine && !node.parent;
    this.played = isNew ? null : { from: node, nodes: new Set([node]), result: null, end: null, isMainLine };
    this.undone = null;
    this.clock = null;
  }

  /** The result of the game that is played; null while it goes on. */
  get result() { return (this.played ? this.played.result : this.info.result) ?? null; }

  /** The result of the game that has ended in a node; null in any other node. */
  resultAt(node) {
    if (this.played && this.isInPlay(node)) return node === this.played.end ? this.played.result : null;
    return (node === this.end && this.info.result) || null;
  }

  /** The node in which the game that is played has ended; null while it goes on. */
  get resultNode() { return this.played ? this.played.end : this.end; }

  /** The last node of the current line that belongs to the game that is played. */
  lastInPlay() { return this.line().findLast((node) => this.isInPlay(node)) ?? null; }

  /** The move that was played after the current node before an undo; null if there is none. */
  reply() {
    if (!this.played) return this.next();
    return [this.next(), ...this.node.children].find((node) => node && this.isInPlay(node)) ?? null;
  }

  /** The node that undo leads to: the previous one; if human is "B" or "W", the last one before with that colour to play.
      It does not leave the game that is played. */
  undoTarget(human) {
    const isInPlay = this.isInPlay();
    let node = this.node.parent;
    while (node && !(this.isTurnOf(human, node) && (!isInPlay || this.isInPlay(node)))) node = node.parent;
    return node;
  }

  /** The node that redo leads to: the next one; if human is "B" or "W", the next one with that colour to play, or the last. */
  redoTarget(human) {
    let node = this.next();
    while (node && !this.isTurnOf(human, node) && this.next(node)) node = this.next(node);
    return node;
  }

  isTurnOf(human, node) { return !["B", "W"].includes(human) || this.toPlay(node) === human; }

  /** Go to the target of undo.  In a game that is played, which includes a finished one up to its end, it goes on there. */
  undo(human) {
    const { node } = this;
    this.goTo(this.undoTarget(human));
    const end = this.played ? this.played.end : this.end;
    if (human && this.isInPlay() && (!end || path(end).includes(node))) this.undone = this.node;
  }

  /** Set the result, in the node in which the game ends; null: the game goes on. */
  setResult(result, end = null) {
    this.touch();
    if (end && this.isCounted(end)) end.final = ofResult(result) ?? undefined;
    if (this.played) {
      Object.assign(this.played, { result, end });
      if (!this.played.isMainLine || (end && this.branching(end))) return;
    }
    if (result) this.info.result = result;
    else delete this.info.result;
    this.end = end;
  }

  /** Make a node the current one, and select the children that lead to it. */
  goTo(node) {
    this.undone = null;
    if (this.line()[node.index] !== node) {
      for (let child = node; child.parent; child = child.parent) child.parent.selected = child.parent.children.indexOf(child);
      this.lines += 1;
    }
    this.node = node;
  }

  /** Go to the child with this move; it is created if there is none.  After undo it is the main line, and the game goes on. */
  add(move) {
    const { children } = this.node;
    const goesOn = this.undone === this.node;
    const found = children.find((each) => each.move === move && !each.illegal && !each.stones);
    const child = found ?? newNode(this.node, { move });
    if (!found) children.push(child);
    this.changes += 1;
    this.touch(!found);
    if (this.played?.nodes.has(this.node)) {
      this.played.nodes.add(child);
      if (goesOn && this.played.end && !path(this.played.end).includes(child)) this.setResult(null);
    } else if (goesOn && children[0] !== child) {
      children.splice(children.indexOf(child), 1);
      children.unshift(child);
      this.isUnsaved = true;
    }
    if (goesOn && !this.played && this.end && !path(this.end).includes(child)) this.setResult(null);
    this.goTo(child);
    if (goesOn && found) this.undone = child;
    return child;
  }

  /** Remove the current node and its descendants.  human: null if the game is only viewed, whose result then stays; a
      game that is played goes on if it had ended there. */
  remove(human) {
    const { node, played } = this;
    if (!node.parent) return;
    const isRemoved = (each) => each && path(each).includes(node);
    if (played ? isRemoved(played.end) : human && isRemoved(this.end)) this.setResult(null);
    if (isRemoved(this.end)) this.end = null;
    if (isRemoved(played?.from)) this.played = null;
    node.parent.children.splice(node.parent.children.indexOf(node), 1);
    node.parent.selected = 0;
    this.changes += 1;
    this.touch();
    this.goTo(node.parent);
  }

  /** The node of the main line at which the variation of a node begins; null in the main line. */
  branching(node = this.node) {
    let found = null;
    for (let each = node; each.parent; each = each.parent) if (each.parent.children[0] !== each) found = each.parent;
    return found;
  }

  /** Make the current line the main line up to the current node. */
  promote() {
    for (let child = this.node; child.parent; child = child.parent) {
      const { children } = child.parent;
      children.unshift(...children.splice(children.indexOf(child), 1));
      child.parent.selected = 0;
    }
    this.changes += 1;
    this.touch();
  }

  /** Go back to the main line, to where the variation of the current node begins; the current line is the main one. */
  leaveVariation() {
    const node = this.branching();
    if (!node) return;
    this.goTo(node);
    for (const each of mainLine(node)) each.selected = 0;
    this.lines += 1;
  }

  /** Take over what the server has read of this game's SGF.  from: the first node whose position may be another one; null: all are the same. */
  update({ nodes, notice, ...start }, from) {
    const { index } = this.nodeList([]);
    for (const [node, i] of index) {
      for (const name of ["move", "stones", "first", "illegal"]) {
        if (nodes[i][name] === undefined) delete node[name];
        else node[name] = nodes[i][name];
      }
    }
    const stack = from ? [from] : [];
    while (stack.length) {
      const node = stack.pop();
      for (const name of ANSWERS) delete node[name];
      stack.push(...node.children);
    }
    if (this.info.result !== start.info.result) this.end = start.info.result ? mainLine(this.root).at(-1) : null;
    Object.assign(this, { start, info: start.info, writtenInfo: { ...start.info } });
  }

  // ---- the clock

  /** A move has been played from a node of the game, which led to another. */
  pressClock(node, child, colour) {
    const { clock } = this;
    if (!clock || !this.isInPlay(node)) return;
    if (clock.node !== node) clock.restore(node, node.times ?? null);
    clock.press(colour, child);
  }

  /** After an undo or a redo: the times of the current node, and no clock runs until a move is played. */
  rewindClock() {
    const { clock, node } = this;
    if (!clock || !this.isInPlay()) return;
    clock.restore(node, node.times ?? null);
    clock.isPaused = true;
  }

  /** End the game if the time of the side to move has run out; returns its colour then, else null. */
  checkFlag() {
    const { clock } = this;
    if (!clock?.colour || clock.secondsToEnd(clock.colour) > 0) return null;
    const { colour } = clock;
    clock.run(null);
    this.setResult(`${colour === "B" ? "W" : "B"}+T`, clock.node);
    return colour;
  }

  // ---- forms

  /** The game for this tab's storage; `current` and `end` are the indices of the current node and of the last one. */
  toJSON() {
    const { end, isUnsaved, notice, clock, savedAs, writtenInfo, fileName } = this;
    const { nodes, index } = this.nodeList(STORED);
    for (const [node, i] of index) nodes[i].analysis = compact(node.analysis);
    const indexOf = (node) => index.get(node) ?? null;
    const played = this.played && { ...this.played, from: indexOf(this.played.from), end: indexOf(this.played.end),
      nodes: [...this.played.nodes].map(indexOf).filter((i) => i !== null) };
    return { ...this.start, info: this.info, notice, fileName, nodes, current: indexOf(this.node), end: indexOf(end), isUnsaved, savedAs,
      writtenInfo, isUndone: this.undone === this.node, played, clock: clock && { ...clock.toJSON(), node: indexOf(clock.node) } };
  }

  /** The form that formatGame in sgf.js writes. */
  toRecord() {
    const { nodes, index } = this.nodeList(["move", "comment", "analysis", "properties"]);
    for (const [node, i] of index) Object.assign(nodes[i], timeLeft(node), { to_play: this.toPlay(node) });
    return { ...this.start, info: { ...this.info }, nodes };
  }

  /** All nodes with these fields and the index of their parents, in the order of a file, and the index of each. */
  nodeList(names) {
    const nodes = [];
    const index = new Map();
    const stack = [[this.root, -1]];
    while (stack.length) {
      const [node, parent] = stack.pop();
      index.set(node, nodes.length);
      nodes.push({ parent, ...Object.fromEntries(names.map((name) => [name, node[name]])) });
      for (const child of node.children.toReversed()) stack.push([child, index.get(node)]);
    }
    return { nodes, index };
  }

  static fromJSON({ current, end, isUnsaved, isUndone, savedAs, writtenInfo, played, clock, ...start }) {
    const game = new Game(start);
    const nodes = [];
    const stack = [game.root];
    while (stack.length) {
      const node = stack.pop();
      nodes.push(node);
      stack.push(...node.children.toReversed());
    }
    game.goTo(nodes[current] ?? game.root);
    Object.assign(game, { end: nodes[end] ?? null, isUnsaved, savedAs: savedAs ?? null, writtenInfo,
      undone: isUndone ? game.node : null });
    if (played) {
      game.played = { ...played, from: nodes[played.from], end: nodes[played.end] ?? null,
        nodes: new Set(played.nodes.map((i) => nodes[i])) };
    }
    if (clock) game.clock = GameClock.fromJSON(clock, nodes[clock.node]);
    return game;
  }
}

/** A node after another one; null for a root.  It is not yet among the other's children. */
export const newNode = (parent, fields) => ({ selected: 0, ...fields, parent, children: [], index: parent ? parent.index + 1 : 0 });

/** Whether the rules allow the move of a node, so that it belongs to the history of the positions after it. */
const isPlayed = ({ move, stones, illegal }) => move && !stones && !illegal;

/** The nodes from the root to a node. */
function path(node) {
  const nodes = [];
  for (let each = node; each; each = each.parent) nodes.push(each);
  return nodes.reverse();
}

/** A node, its first child, that one's first child, and so on. */
export function mainLine(root) {
  const nodes = [];
  for (let node = root; node; node = node.children[0]) nodes.push(node);
  return nodes;
}
