// Monte Carlo tree search: what mugo/mcts/search.py, growth.py and tree_arrays.py do around the kernels, in one thread.
//
//   set the root --> [ limits reached? --no--> grow ] --> result

import { PASS, WHITE, boardPoints, symmetries } from "./coords.js";
import { globalFeatures } from "./evaluate.js";
import { KernelArray } from "./kernels.js";
import { SearchResult, LOSS, NULL_NODE, WIN, bestByLcb, clip, isProven, lowerConfidenceBounds, moveInfos, rootMoves,
  scoreOf, standardError,
  utilityOfScore } from "./result.js";
import { Root } from "./root.js";
import { unsettledPoints } from "./scoring.js";

const EDGES_FOR_EACH_NODE = 8, SMALLEST_TABLE = 1 << 14, ROOM_FOR_EACH = 8, MAX_LOAD = 0.5;     // of tree_arrays.py

/** The arrays of a search tree. */
class Tree {
  constructor(engine, maxEdges) {
    const { kernels } = engine;
    Object.assign(this, { engine, kernels });
    this.trees = kernels.array("TREE", 1);
    this.record = this.trees.record(0);
    this.params = this.record.params;
    this.nodes = kernels.array("NODE", Math.floor(maxEdges / EDGES_FOR_EACH_NODE) + 1000);
    this.edges = kernels.array("EDGE", maxEdges);
    this.table = kernels.array("int32", SMALLEST_TABLE);
  }

  release() { for (const array of [this.trees, this.nodes, this.edges, this.table]) array.release(); }

  get arrays() { return [this.trees, this.nodes, this.edges, this.table]; }

  node(v) { return this.nodes.record(v); }

  get rootNode() { return this.node(this.record.root); }

  get rootEdges() { return this.edgesOf(this.record.root); }

  /** The edges of a node. */
  edgesOf(v) {
    const { first, count } = this.node(v);
    return Array.from({ length: count }, (_, i) => this.edges.record(first + i));
  }

  /** Let the table have slots for the nodes that this many simulations add. */
  makeRoom(simulations) {
    const wanted = Math.min(this.record.n_nodes + ROOM_FOR_EACH * simulations, this.nodes.length);
    if (MAX_LOAD * this.table.length >= wanted) return;
    this.table.release();
    this.table = this.kernels.array("int32", 2 ** (Math.floor(Math.log2(Math.floor(wanted / MAX_LOAD))) + 1));
    this.kernels.call("fill_table", this.record, this.nodes, this.table);
  }

  hasRoom(edges) { return this.record.n_edges + edges < this.edges.length && this.record.n_nodes < this.nodes.length; }

  /** Make a board the root; returns whether the tree is new. */
  setRoot(board, area, mayReuse, mayKeepRoot, asked) {
    const { record, kernels } = this;
    record.is_restricted = Number(asked !== null);
    record.asked.fill(0);
    for (const point of asked ?? []) record.asked[point] = 1;
    const key = kernels.call("position_hash", board);
    const node = mayReuse ? kernels.call("find", this.nodes, this.table, key) : NULL_NODE;
    const isSame = node === record.root;
    if (node !== NULL_NODE && (mayKeepRoot || !isSame)) {
      kernels.call("advance_root", ...this.arrays, node);
      if (isSame || this.hasRoom(area)) {
        kernels.call("open_root", record, this.nodes, this.edges, board);
        const moves = new Set(this.rootEdges.map((edge) => edge.move));
        if (!moves.size || (asked ?? []).every((point) => moves.has(point))) return false;
      }
    }
    kernels.call("reset", record, this.nodes, this.table, key);
    return true;
  }

  /** Bring the bounds of the root, which has this board, and of its edges up to date. */
  boundRoot(board) {
    const last = this.rootEdges.at(-1);
    if (last?.move === PASS && this.kernels.call("counts_all_alive", board)) {
      last.upper = Math.min(last.upper, this.kernels.call("pass_value", board, this.params.komi));
    }
    this.kernels.call("bound_root", this.nodes, this.edges, this.record.root);
  }

  /** Give the root's first move of a sequence that wins by force its exact value. */
  proveWinningSequence(board, standIn) {
    if (isProven(this.rootNode) || !board.k || this.kernels.call("is_over", board)) return;
    const move = this.kernels.call("win_by_fours", board, board.to_play);
    if (!move) return;
    const stand = standIn(move);
    for (const edge of this.rootEdges) if (edge.move === stand) edge.lower = WIN;
    this.boundRoot(board);
  }
}

/** Grows a tree without a network. */
class Rollouts {
  constructor(tree) {
    const { kernels, engine } = tree;
    Object.assign(this, { tree, kernels, engine });
    this.boards = kernels.array("BOARD", 3);
    engine.randoms(3).forEach((random, i) => { this.boards.record(i).random = random; });
    this.history = kernels.array("uint64", engine.history.length);
    this.path = kernels.array("int32", kernels.constants.MAX_DEPTH, 2);
    this.sums = kernels.array("int32", engine.POINTS);
  }

  release() { for (const array of [this.boards, this.history, this.path, this.sums]) array.release(); }

  begin() {
    this.sums.data.fill(0);
    this.engine.clearScratch();
  }

  setRoot(root) {
    setBoard(this.boards.record(0), root);
    this.history.data.set(root.position.hashes);
    if (!this.tree.rootNode.count) {
      this.kernels.call("expand_root", this.tree.record, this.tree.nodes, this.tree.edges, this.boards.record(0),
        this.engine.scratch);
    }
  }

  chunk(before, rate, secondsLeft) {
    if (secondsLeft === Infinity) return before;
    return Math.max(1, Math.min(2 * before, Math.floor(rate * Math.min(this.engine.facts.constants.growth.LOOK_SECONDS,
      secondsLeft))));
  }

  grow(n) {
    this.tree.makeRoom(n);
    this.tree.record.simulations_left = n;
    this.kernels.call("simulate", ...this.tree.arrays, this.boards, this.history, this.path, this.sums, this.engine.scratch);
    return n;
  }

  /** The mean owner of each point over the rollouts of this search; null without any. */
  ownership(position) {
    const sums = this.sums.data;
    return sums[0] && position.isGo ? boardPoints(position.shape).map((point) => sums[point] / sums[0]) : null;
  }

  get rollouts() { return this.sums.data[0]; }
}

function setBoard(board, root) {
  const { random } = board;
  board.copyFrom(root.board);
  board.random = random;
}

/** Grows a tree by batches that a network evaluates. */
class Batches extends Rollouts {
  constructor(tree, settings) {
    super(tree);
    const { kernels, engine } = tree;
    this.settings = settings;
    this.boards.release();
    const batch = engine.facts.constants.growth.BATCH;
    this.boards = kernels.array("BOARD", 1 + 2 * batch);
    engine.randoms(1 + 2 * batch).forEach((random, i) => { this.boards.record(i).random = random; });
    this.paths = kernels.array("int32", batch, kernels.constants.MAX_DEPTH, 2);
    this.leaves = kernels.array("LEAF", batch);
    this.means = kernels.array("float32", batch);
    this.stdevs = kernels.array("float32", batch);
    this.values = kernels.array("float32", batch);
    this.measuredLead = 0;
  }

  release() {
    super.release();
    for (const array of [this.paths, this.leaves, this.means, this.stdevs, this.values, ...Object.values(this.ofShape
      ?? {})]) array.release();
  }

  begin() {
    super.begin();
    Object.assign(this, { networkOwnership: null, evaluated: 0, lead: null });
  }

  setRoot(root, network) {
    setBoard(this.boards.record(0), root);
    this.history.data.set(root.position.hashes);
    const { position } = root;
    if (this.position?.shape.join() !== position.shape.join() || this.position.game !== position.game) this.makeArrays(position);
    Object.assign(this, { position, network, lambda: this.tree.params.lambda_ });
  }

  makeArrays(position) {
    for (const array of Object.values(this.ofShape ?? {})) array.release();
    const { kernels } = this, batch = this.leaves.length, { area } = position;
    this.ofShape = { identity: kernels.array("int64", batch, area + 1),
      packed: kernels.array("uint8", batch, area, position.isGo ? 6 : 1),
      priors: kernels.array("float32", batch, area + 1) };
    const [same] = symmetries(position.shape);
    this.ofShape.identity.data.set(Array.from({ length: batch }, () => same.map(BigInt)).flat());
  }

  chunk(before, rate, secondsLeft) {
    const { BATCH, VISITS_FOR_EACH } = this.engine.facts.constants.growth;
    const batch = Math.min(BATCH, Math.max(1, Math.floor(this.tree.rootNode.visits / VISITS_FOR_EACH)));
    return batch / rate / 2 > secondsLeft ? Math.floor(rate * secondsLeft) : batch;
  }

  async grow(n) {
    const { tree, kernels, engine, ofShape: { identity, packed, priors } } = this;
    tree.makeRoom(n);
    n = kernels.call("select_batch", ...tree.arrays, this.boards, this.history, this.paths, this.leaves.first(n), engine.scratch,
      identity.first(n), packed.first(n));
    const leaves = this.leaves.first(n);
    if (this.lambda > 0) kernels.call("evaluate_leaves", tree.trees, this.boards, leaves, 0, n, n, this.sums, engine.scratch);
    const output = await this.evaluate(n, packed);
    const rows = output?.n ?? 0;
    n = this.finished(n, rows);
    if (rows) priors.data.set(output.priors);
    this.values.data.fill(0);
    if (output?.values) this.values.data.set(output.values);
    kernels.call("expand_and_backup", tree.trees, tree.nodes, tree.edges, this.boards, this.paths, leaves, n, priors.first(rows),
      this.values.first(rows), this.scores(output));
    return n;
  }

  /** How many of the n leaves of a batch have their evaluation, where only some rows were computed; the others are taken
      back. */
  finished(n, rows) {
    const { tree, kernels } = this;
    const needed = [...Array(n).keys()].filter((k) => this.leaves.record(k).needs_evaluation);
    const end = needed[rows] ?? n;
    const { MAX_DEPTH } = kernels.constants;
    for (let k = end; k < n; k += 1) {
      const { node, length } = this.leaves.record(k);
      const path = new KernelArray(kernels, "int32", [MAX_DEPTH, 2],
        this.paths.at + k * MAX_DEPTH * 2 * Int32Array.BYTES_PER_ELEMENT);
      kernels.call("take_back", tree.record, tree.nodes, tree.edges, node, length, path);
    }
    return end;
  }

  /** What the network says of the leaves of a batch that need it; null if none does. */
  async evaluate(n, packed) {
    const { position } = this;
    const needed = [...Array(n).keys()].filter((k) => this.leaves.record(k).needs_evaluation);
    if (!needed.length) return null;
    const bytes = packed.length / packed.shape[0];
    const planes = new Uint8Array(needed.length * bytes);
    needed.forEach((k, i) => planes.set(packed.data.subarray(k * bytes, (k + 1) * bytes), i * bytes));
    const boards = needed.map((k) => this.boards.record(1 + k));
    const toPlay = boards.map((b) => b.to_play);
    const features = globalFeatures(boards.map((b) => this.kernels.call("area_komi", b, position.whitePoints)), toPlay);
    const output = await this.network.evaluatePacked(position.shape, planes, features, { shouldStop: this.shouldStop });
    this.evaluated += output.n;
    if (output.ownership) {
      this.networkOwnership ??= new Float32Array(position.area);
      const of = this.networkOwnership.map((_, i) => toPlay.slice(0, output.n)
        .reduce((sum, side, k) => sum + side * output.ownership[k * position.area + i], 0));
      this.networkOwnership = this.networkOwnership.map((sum, i) => sum + of[i]);
    }
    return output;
  }

  /** The scores of a batch, as the kernel takes them. */
  scores(output) {
    if (!output?.scoreMean || !output.scoreStdev) return [this.means.first(0), this.stdevs.first(0), 0, 0, 0];
    const { position: { area, toPlay }, tree } = this;
    const factor = scoreUtilityFactor(this.engine, this.settings, area);
    if (factor && this.lead === null) {
      const root = tree.rootNode;
      this.lead = toPlay * (root.scored ? root.score_mean : output.scoreMean[0]);
      if (root.scored) {
        this.kernels.call("recenter", tree.trees, tree.nodes, tree.edges, factor, area, toPlay * this.measuredLead,
          toPlay * this.lead);
      }
      this.measuredLead = this.lead;
    }
    this.means.data.set(output.scoreMean);
    this.stdevs.data.set(output.scoreStdev);
    return [this.means.first(output.n), this.stdevs.first(output.n), factor, this.lead || 0, area];
  }

  /** As SearchResult.ownership; that of `measureOwnership`, if no leaf was evaluated in this search. */
  ownership(position) {
    const byRollouts = super.ownership(position);
    if (!this.networkOwnership) return byRollouts;
    const byNetwork = Array.from(this.networkOwnership, (sum) => Math.fround(sum / this.evaluated));
    return byRollouts ? byNetwork.map((owner, i) =>
      Math.fround((1 - this.lambda) * owner) + this.lambda * byRollouts[i]) : byNetwork;
  }

  async measureOwnership(position) {
    if (this.networkOwnership || !this.network.hasOwnership) return;
    const { ownership } = await this.network.evaluate([position]);
    this.networkOwnership = ownership.map((owner) => owner * position.toPlay);
    this.evaluated = 1;
  }
}

const scoreUtilityFactor = (engine, settings, area) => {
  const { SCORE_UTILITY, SCORE_UTILITY_AREA } = engine.facts.constants.settings;
  return settings.dynamic_score_utility_factor ?? (area <= SCORE_UTILITY_AREA ? SCORE_UTILITY : 0);
};

/** A search tree, and searches that grow it. */
export class Search {
  /** player: "uct" or "mcts".  networks: null without.  changes: settings that differ from the player's. */
  constructor(engine, player, game, networks, changes = {}) {
    const { settings, params } = engine.facts.searches[player][game];
    this.settings = { ...settings, ...changes };
    Object.assign(this, { engine, networks });
    this.tree = new Tree(engine, this.settings.max_edges);
    for (const [name, value] of Object.entries(params)) this.tree.params[name] = value === null ? NaN : value === "inf"
      ? Infinity : Number(value);
    this.addresses(player, game);
    this.growth = networks ? new Batches(this.tree, this.settings) : new Rollouts(this.tree);
    this.root = null;
  }

  now() { return performance.now() / 1000; }

  release() {
    this.growth.release();
    this.tree.release();
  }

  addresses(player, game) {
    const { params } = this.tree, { addresses } = this.engine.kernels;
    const kind = this.settings.rollout === "mogo" ? "mogo" : "uniform";
    const usesRollouts = params.lambda_ > 0 || !params.has_priors;
    Object.assign(params, {
      select_child: addresses[params.has_priors ? "puct_child" : params.rave
        || params.heuristic_priors ? "rave_child" : "ucb_child"],
      write_edges: addresses.write_edges, expand: params.has_priors ? 0 : addresses.expand,
      play: addresses[`play_${game}`], forced_move: addresses[`forced_move_${game}`],
      roll_out: usesRollouts ? addresses[`roll_out_${game}_${kind}`] : 0,
      write_heuristic_priors: params.heuristic_priors ? addresses[`write_heuristic_priors_${game}`] : 0,
      write_planes: params.has_priors ? addresses[`write_planes_${game}`] : 0 });
  }

  /** Search a position until the first of the limits.  control: { shouldStop, onProgress, interval }, the first async.
      Search.search in mugo/mcts/search.py explains the other options. */
  async search(position, { simulations = Infinity, seconds = Infinity, mayPass = true, allowedMoves = null,
    selectBy = null, avoided, control }) {
    position.checkHasMoves();
    const network = this.networks && await this.networks.forPosition(position, true);
    const started = this.now();
    this.growth.begin();
    this.growth.shouldStop = control.shouldStop;
    const unsettled = network && this.settings.unsettled_prior > 0 && position.isGo ? unsettledPoints(position) : null;
    const root = new Root(position, { allowedMoves, mayPass, avoided, prunes: this.settings.root_symmetry_pruning, unsettled });
    const board = this.setRoot(root, network);
    const limits = { simulations: Math.max(simulations, 1), started, deadline: started + seconds, selectBy };
    let reported = started;
    this.root = null;                                    // an interruption leaves no tree to go on with
    let done = this.tree.rootEdges.length ? 0 : await this.growth.grow(1);
    this.prepareRoot(root, board, network);
    done ||= await this.growth.grow(1);
    this.tree.proveWinningSequence(board, (point) => root.standIn(point));
    let chunk = this.engine.facts.constants.search.CHECK_EVERY;
    for (;;) {
      if (await control.shouldStop()) break;
      const now = this.now();
      if (this.isReached(limits, done, now)) break;
      chunk = this.growth.chunk(chunk, done / Math.max(now - started, 1e-6), limits.deadline - now);
      if (!chunk) break;
      done += await this.growth.grow(Math.min(chunk, limits.simulations - done));
      if (control.onProgress && this.now() - reported >= control.interval) {
        reported = this.now();
        control.onProgress(this.result(root, board, done, reported - started));
      }
    }
    if (network) await this.growth.measureOwnership(position);
    const result = this.result(root, board, done, this.now() - started);
    this.root = root;
    return result;
  }

  isReached(limits, done, now) {
    if (done >= limits.simulations || now >= limits.deadline) return true;
    if (!this.settings.early_stop) return false;
    const rate = done / Math.max(now - limits.started, 1e-6);
    let left = limits.simulations - done;
    if (limits.deadline !== Infinity) {
      left = now - limits.started <= (limits.deadline - limits.started) / 20 ? Infinity
        : Math.min(left, (limits.deadline - now) * rate);
    }
    const edges = this.tree.rootEdges.filter((edge) => edge.allowed && edge.upper > LOSS);
    return isDecided(rootMoves(this.tree, edges), left, limits.selectBy, this.settings,
      scoreUtilityFactor(this.engine, this.settings, 0))
      || isProven(this.tree.rootNode);
  }

  setRoot(root, network) {
    const { position } = root, { params } = this.tree, { kernels } = this.engine;
    const before = this.root;
    const below = root.avoided.belowRoot();
    params.avoids = Number(below.length > 0 && position.isGo);
    const until = params.avoid_until.fill(0);
    for (const [colour, point, depth] of below) until[(colour === WHITE ? this.engine.POINTS : 0) + point] = position.plies + depth;
    params.is_unsettled.fill(0);
    for (const point of root.unsettled ?? []) params.is_unsettled[point] = 1;
    this.board ??= kernels.record("BOARD");
    this.board.copyFrom(root.board);
    const mayReuse = this.settings.reuse_tree && before !== null && root.mayReuseTreeOf(before);
    const oldKey = this.tree.rootNode.key;
    if (this.tree.setRoot(this.board, position.area, mayReuse, before !== null && root.mayContinue(before), root.asked)) {
      params.komi = position.whitePoints;
      params.simple_ko = Number(this.board.ko_rule === 0);
      params.mercy = Math.ceil(Math.abs(position.areaKomi)) + Math.floor(5 * (position.shape[0] + position.shape[1]) / 4);
    } else if (before !== null && this.tree.rootNode.key === oldKey) {
      root.priors = before.priors;
    }
    this.growth.setRoot(root, network);
    return this.board;
  }

  prepareRoot(root, board, network) {
    const edges = this.tree.rootEdges;
    root.restrict(edges);
    this.tree.boundRoot(board);
    root.priors ??= edges.map((edge) => edge.prior);
    if (edges.length && network) root.setPriors(edges);
  }

  result(root, board, simulations, seconds) {
    const { tree, settings } = this, { position } = root;
    tree.boundRoot(board);
    const node = tree.rootNode;
    const proven = isProven(node) ? node.lower : null;
    const lengths = proven === WIN ? this.engine.call("proof_lengths", tree.nodes, tree.edges, tree.record.n_nodes,
      tree.record.root) : null;
    const [scoreLead, scoreStdev] = scoreOf(node);
    const value = proven ?? node.total / Math.max(node.visits, 1);
    const scoreUtility = proven === null ? utilityOfScore(node) : 0;
    const edges = tree.rootEdges;
    const allowed = edges.flatMap((edge, i) => (edge.allowed ? [i] : []));
    const infos = moveInfos(tree, allowed.map((i) => edges[i]), { lengths, lcbStdevs: settings.lcb_stdevs,
      priors: allowed.map((i) => root.priors[i]) });
    return new SearchResult({ position, moves: root.withPruned(infos), winRate: clip((1 + value - scoreUtility) / 2),
      visits: node.visits,
      simulations, seconds, rollouts: this.growth.rollouts,
        ownership: this.growth.ownership(position)?.map(Math.fround) ?? null, proven,
      scoreLead, scoreStdev, isFull: !tree.hasRoom(position.area), minVisitPropForLcb: settings.min_visit_prop_for_lcb,
        scoreUtility });
  }
}

/** Whether `left` more simulations, whatever their values, cannot change which move is chosen. */
function isDecided(moves, left, selectBy, settings, scoreFactor) {
  const { visits } = moves;
  if (visits.length < 2) return selectBy !== null && visits.length === 1;
  if (selectBy === "value") return false;
  if (selectBy === "lcb") return left < Infinity && isDecidedByLcb(moves, left, settings, scoreFactor);
  const [first, second] = [...visits].sort((a, b) => b - a);
  return first - second > left;
}

function isDecidedByLcb({ visits, means, squares }, left, settings, scoreFactor) {
  const { lcb_stdevs: stdevs, min_visit_prop_for_lcb: least } = settings;
  const most = left * (1 + scoreFactor);
  const chosen = bestByLcb(visits, lowerConfidenceBounds({ visits, means, squares }, stdevs), least);
  const n = visits[chosen];
  const others = [...visits.keys()].filter((i) => i !== chosen);
  if (n === 0 || n < least * (Math.max(...others.map((i) => visits[i])) + left)) return false;
  const [lowest, highest] = [-1, 1].map((sign) => (n * means[chosen] + sign * most) / (n + left));
  const leastSquare = lowest < 0 && highest > 0 ? 0 : Math.min(lowest ** 2, highest ** 2);
  const variance = (n * squares[chosen] + most ** 2 / Math.max(left, 1)) / (n + left) - leastSquare;
  const worst = lowest - stdevs * standardError(n, variance);
  const total = Math.max(...visits);
  return others.filter((i) => visits[i] + left >= least * total)
    .every((i) => (visits[i] * means[i] + most) / Math.max(visits[i] + left, 1) < worst);
}

