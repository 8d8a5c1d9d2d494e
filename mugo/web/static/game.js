// A game tree.  The rules are the server's.
//
//   start   the server's answer to "new" or "load" without its nodes: name, size, komi and handicap or k and exactly,
//           black, white, first, info
//   node    { move: "B Q16", parent, children, comment, win_rate, visits, value } and the server's answers about it:
//           position, search, policy, planes, ownership
//
// The current node is the one on the board.  The current line leads through it along the selected children.
// Undo and redo go along it and remove nothing.

export class Game {
  constructor({ nodes, ...start }) {
    this.start = start;
    this.info = start.info ?? {};
    const created = [];
    for (const { parent, ...fields } of nodes) {
      const node = { ...fields, parent: created[parent] ?? null, children: [], selected: 0 };
      node.parent?.children.push(node);
      created.push(node);
    }
    this.root = this.node = created[0];
    this.opponents = null;               // the server's answer to "opponents"
    this.networkError = null;            // why no network plays this game
    this.end = this.info.result ? this.line().at(-1) : null;     // the node in which the game ended with its result
    this.undone = null;                  // the node that undo led to: the game goes on there
    this.isUnsaved = false;              // whether moves, comments or the result have changed since it was saved
  }

  get size() { return this.start.size; }

  get isGo() { return this.start.name !== "gomoku"; }

  /** What wins in Gomoku: '5 in a row'. */
  get row() { return `${this.start.exactly ? "exactly " : ""}${this.start.k} in a row`; }

  /** The fields of a request that name the position of a node. */
  requestFields(node = this.node) {
    const { info, ...game } = this.start;
    return { game, moves: path(node).slice(1).map(({ move }) => move) };
  }

  /** The nodes of the current line, the root first. */
  line() {
    const nodes = path(this.node);
    for (let node = this.next(); node; node = this.next(node)) nodes.push(node);
    return nodes;
  }

  next(node = this.node) { return node.children[node.selected] ?? null; }

  moveNumber(node = this.node) { return path(node).length - 1; }

  /** Who plays next in a node. */
  toPlay(node = this.node) { return node.move ? (node.move[0] === "B" ? "W" : "B") : this.start.first; }

  /** The node that undo leads to: the one before; if human is "B" or "W", the last one before with that colour to play. */
  undoTarget(human) {
    return path(this.node).slice(0, -1).findLast((node) => this.isTurnOf(human, node)) ?? null;
  }

  /** The node that redo leads to: the next one; if human is "B" or "W", the next one with that colour to play, or the last. */
  redoTarget(human) {
    const nodes = this.line().slice(this.moveNumber() + 1);
    return nodes.find((node) => this.isTurnOf(human, node)) ?? nodes.at(-1) ?? null;
  }

  isTurnOf(human, node) { return !["B", "W"].includes(human) || this.toPlay(node) === human; }

  /** Go to the target of undo.  In a game that is played, which includes a finished one up to its end, it goes on there. */
  undo(human) {
    const { node } = this;
    this.goTo(this.undoTarget(human));
    if (human && (!this.end || path(this.end).includes(node))) this.undone = this.node;
  }

  /** Set the result, in the node in which the game ends; null: the game goes on. */
  setResult(result, end = null) {
    if (result) this.info.result = result;
    else delete this.info.result;
    Object.assign(this, { end, isUnsaved: true });
  }

  /** Make a node the current one, and select the children that lead to it. */
  goTo(node) {
    this.undone = null;
    for (let child = node; child.parent; child = child.parent) child.parent.selected = child.parent.children.indexOf(child);
    this.node = node;
  }

  /** Go to the child with this move; it is created if there is none.  After undo it is the main line, and the game goes on. */
  add(move) {
    let child = this.node.children.find((each) => each.move === move);
    if (!child) {
      child = { move, parent: this.node, children: [], selected: 0 };
      if (this.undone === this.node) {
        this.node.children.unshift(child);
        if (this.end) this.setResult(null);
      } else {
        this.node.children.push(child);
      }
      this.isUnsaved = true;
    }
    this.goTo(child);
    return child;
  }

  /** Remove the current node and its descendants. */
  remove() {
    const { node } = this;
    if (!node.parent) return;
    node.parent.children.splice(node.parent.children.indexOf(node), 1);
    node.parent.selected = 0;
    if (this.end && path(this.end).includes(node)) this.end = null;
    this.isUnsaved = true;
    this.goTo(node.parent);
  }

  /** The form that the server writes as SGF; `current` and `end` are the indices of the current node and of the last one. */
  toJSON() {
    const nodes = [];
    let [current, end] = [0, null];
    const stack = [[this.root, -1]];
    while (stack.length) {
      const [node, parent] = stack.pop();
      const { move, comment, win_rate, visits } = node;
      if (node === this.node) current = nodes.length;
      if (node === this.end) end = nodes.length;
      nodes.push({ parent, move, comment, win_rate, visits });
      const index = nodes.length - 1;
      for (const child of node.children.toReversed()) stack.push([child, index]);
    }
    return { ...this.start, info: this.info, nodes, current, end, isUnsaved: this.isUnsaved };
  }

  static fromJSON({ current, end, isUnsaved, ...start }) {
    const game = new Game(start);
    const nodes = [];
    const stack = [game.root];
    while (stack.length) {
      const node = stack.pop();
      nodes.push(node);
      stack.push(...node.children.toReversed());
    }
    game.goTo(nodes[current] ?? game.root);
    Object.assign(game, { end: nodes[end] ?? null, isUnsaved });
    return game;
  }
}

/** The nodes from the root to a node. */
function path(node) {
  const nodes = [];
  for (let each = node; each; each = each.parent) nodes.push(each);
  return nodes.reverse();
}
