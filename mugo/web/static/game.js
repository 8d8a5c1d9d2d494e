// A game tree.  The rules are the server's.
//
//   start   the server's answer to "new" or "load" without its nodes: name, size, komi and handicap or k and exactly,
//           black, white, first, info
//   node    { move: "B Q16", parent, children, comment, win_rate, visits, value } and the server's answers about it:
//           position, search, policy, planes, ownership
//
// The current node is the one on the board.  The current line leads through it along the selected children.

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

  /** Make a node the current one, and select the children that lead to it. */
  goTo(node) {
    for (let child = node; child.parent; child = child.parent) child.parent.selected = child.parent.children.indexOf(child);
    this.node = node;
  }

  /** Go to the child with this move; it is created if there is none. */
  add(move) {
    let child = this.node.children.find((each) => each.move === move);
    if (!child) {
      child = { move, parent: this.node, children: [], selected: 0 };
      this.node.children.push(child);
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
    this.node = node.parent;
  }

  /** The form that the server writes as SGF; `current` is the index of the current node. */
  toJSON() {
    const nodes = [];
    let current = 0;
    const stack = [[this.root, -1]];
    while (stack.length) {
      const [node, parent] = stack.pop();
      const { move, comment, win_rate, visits } = node;
      if (node === this.node) current = nodes.length;
      nodes.push({ parent, move, comment, win_rate, visits });
      const index = nodes.length - 1;
      for (const child of node.children.toReversed()) stack.push([child, index]);
    }
    return { ...this.start, info: this.info, nodes, current };
  }

  static fromJSON({ current, ...start }) {
    const game = new Game(start);
    const nodes = [];
    const stack = [game.root];
    while (stack.length) {
      const node = stack.pop();
      nodes.push(node);
      stack.push(...node.children.toReversed());
    }
    game.goTo(nodes[current] ?? game.root);
    return game;
  }
}

/** The nodes from the root to a node. */
function path(node) {
  const nodes = [];
  for (let each = node; each; each = each.parent) nodes.push(each);
  return nodes.reverse();
}
