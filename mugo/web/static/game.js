// A game with its variations: nodes that know their parent and children, and which of them is shown.
//
//   start    what the server answers to "new" and "load": name, size, komi and handicap or k and exactly, black,
//            white, first, info
//   node     { move: "B Q16", parent, children, comment, black, visits, value } and what the server said of it
//
// No rules stand here: the server knows them.

export class Game {
  constructor({ nodes, ...start }) {
    this.start = start;
    this.info = start.info ?? {};
    const made = [];
    for (const { parent, ...rest } of nodes) {
      const node = { ...rest, parent: made[parent] ?? null, children: [], chosen: 0 };
      node.parent?.children.push(node);
      made.push(node);
    }
    this.root = this.node = made[0];
    this.offers = null;                  // what the server answers to "offers", once it was asked
  }

  get size() { return this.start.size; }

  get isGo() { return this.start.name !== "gomoku"; }

  /** What wins in Gomoku: '5 in a row'. */
  get row() { return `${this.start.exactly ? "exactly " : ""}${this.start.k} in a row`; }

  /** What every request about a node names its position by. */
  at(node = this.node) {
    const { info, ...game } = this.start;
    return { game, moves: path(node).slice(1).map((each) => each.move) };
  }

  /** The nodes from the start through the one shown to the end of its line. */
  line() {
    const nodes = path(this.node);
    for (let node = this.next(); node; node = this.next(node)) nodes.push(node);
    return nodes;
  }

  next(node = this.node) { return node.children[node.chosen] ?? null; }

  number(node = this.node) { return path(node).length - 1; }

  /** Show a node, and remember the way to it. */
  show(node) {
    for (let child = node; child.parent; child = child.parent) child.parent.chosen = child.parent.children.indexOf(child);
    this.node = node;
  }

  /** The child with this move, made if there is none. */
  add(move) {
    let child = this.node.children.find((each) => each.move === move);
    if (!child) {
      child = { move, parent: this.node, children: [], chosen: 0 };
      this.node.children.push(child);
    }
    this.show(child);
    return child;
  }

  /** Take the node shown and all after it out of the game. */
  remove() {
    const { node } = this;
    if (!node.parent) return;
    node.parent.children.splice(node.parent.children.indexOf(node), 1);
    node.parent.chosen = 0;
    this.node = node.parent;
  }

  /** The form that the server writes as SGF, and that survives a reload; `shown` is the number of the node shown. */
  plain() {
    const nodes = [];
    let shown = 0;
    const todo = [[this.root, -1]];
    while (todo.length) {
      const [node, parent] = todo.pop();
      const { move, comment, black, visits } = node;
      if (node === this.node) shown = nodes.length;
      nodes.push({ parent, move, comment, black, visits });
      for (const child of node.children.toReversed()) todo.push([child, nodes.length - 1]);
    }
    return { ...this.start, info: this.info, nodes, shown };
  }

  static from({ shown, ...plain }) {
    const game = new Game(plain);
    const nodes = [];
    const todo = [game.root];
    while (todo.length) {
      const node = todo.pop();
      nodes.push(node);
      todo.push(...node.children.toReversed());
    }
    game.show(nodes[shown] ?? game.root);
    return game;
  }
}

function path(node) {
  const nodes = [];
  for (let each = node; each; each = each.parent) nodes.push(each);
  return nodes.reverse();
}
