// Positions of Go and Gomoku: mugo/games/position.py, go.py and gomoku.py, whose kernels have the rules.
//
// A position is a value.  Its board is a copy of the kernels' record; `load` puts it where the kernels find it.

import { BLACK, EMPTY, NAMES, PASS, WHITE, WHITE_BIT, areaOf, boardPoints, formatSize, isOnBoard, moveIndex, nameOf,
  pointOfIndex } from "./coords.js";
import { BadInput, IllegalMove } from "./errors.js";
import { bonusOf, formatG, removesDeadStones, rulesOf } from "./rules.js";

const REASONS = { 1: "is occupied", 2: "retakes the ko", 3: "is suicide" };            // of the kernel `legality`
const KO_RULES = { SIMPLE: 0, SPIGHT: 0, SITUATIONAL: 1, POSITIONAL: 2 };
const SIMPLE_KO = 0;

/** What all positions share: the kernels, and their working memory. */
export class Engine {
  constructor(kernels, facts) {
    Object.assign(this, { kernels, facts });
    const { POINTS, MAX_MOVES, MAX_DEPTH } = kernels.constants;
    this.POINTS = POINTS;
    this.boards = kernels.array("BOARD", 2);
    this.board = this.boards.record(0);
    this.history = kernels.array("uint64", MAX_MOVES + MAX_DEPTH + 2);
    this.found = kernels.array("int64", POINTS);
    this.encoded = kernels.array("int16", MAX_MOVES + 1);
    this.owners = kernels.array("int8", POINTS);
    this.scratch = kernels.scratch("scratch");           // planes.Scratch
  }

  call(...args) { return this.kernels.call(...args); }

  /** The states of random numbers of n boards. */
  randoms(n) { return Array.from(crypto.getRandomValues(new BigUint64Array(n)), (number) => number | 1n); }

  /** Put a position where the kernels find it; returns its board. */
  load(position) {
    this.board.copyFrom(position.board);
    this.history.data.set(position.hashes);
    return this.board;
  }

  /** A new board of a size, loaded. */
  empty(shape) {
    this.call("clear", this.board, ...shape);
    return this.board;
  }

  encode(moves) {
    this.encoded.data.set(moves);
    return this.encoded.first(moves.length);
  }

  /** Let no rollout of another search be left in the scratch memory: only RAVE clears it. */
  clearScratch() {
    for (const { at, bytes } of this.scratch.slice(-2)) this.kernels.view("uint8").fill(0, at, at + bytes);
  }

  /** The hashes of the first n + 1 positions of the history. */
  hashesUpTo(n) { return this.history.data.slice(0, n + 1); }
}

export class Position {
  /** An empty board.  of: { game, shape, komi, rules } of Go, { game, shape, k, exactly } of Gomoku. */
  static empty(engine, of, toPlay = BLACK) {
    const position = Object.assign(new Position(), { engine, komi: 0, k: 0, exactly: false, handicap: 0 }, of);
    const [rows, cols] = of.shape;
    const [least, most] = [of.game === "go" ? 2 : 3, 19];
    if (Math.min(rows, cols) < least || Math.max(rows, cols) > most) {
      throw new BadInput(of.game === "go" ? `a board is 2x2 to 19x19, not ${formatSize(of.shape)}`
        : `a Gomoku board is 3x3 to 19x19, not ${formatSize(of.shape)}`);
    }
    if (of.game === "gomoku" && !(of.k >= 3 && of.k <= Math.max(rows, cols))) {
      throw new BadInput(`3 to ${Math.max(rows, cols)} in a row can win on ${formatSize(of.shape)}, not ${of.k}`);
    }
    const b = engine.empty(of.shape);
    b.to_play = toPlay;
    position.setRules(b);
    return position.started(b);
  }

  /** Write k, or the rules, on a board. */
  setRules(b) {
    if (this.game === "gomoku") {
      [b.k, b.exactly] = [this.k, Number(this.exactly)];
    } else {
      this.rules ??= rulesOf();
      b.territory = Number(this.rules.scoring === "TERRITORY");
      b.seki_tax = Number(this.rules.tax === "SEKI");
      b.ko_rule = KO_RULES[this.rules.ko];
    }
  }

  /** This position as one without history, with the board that is loaded. */
  started(b) {
    Object.assign(this, { board: b.bytes.slice(), hashes: new BigUint64Array([b.hash]), moves: [], last: null, mover: null,
      toPlay: b.to_play, start: null });
    return this;
  }

  copy(changes = {}) { return Object.assign(new Position(), this, { cache: undefined }, changes); }

  get area() { return areaOf(this.shape); }

  get isGo() { return this.game === "go"; }

  get mayPass() { return this.isGo; }

  get plies() { return this.moves.length; }

  get handicapBonus() { return this.isGo ? bonusOf(this.rules, this.handicap) : 0; }

  get whitePoints() { return this.komi + this.handicapBonus; }

  get countsTerritory() { return this.isGo && this.rules.scoring === "TERRITORY"; }

  get removesDeadStones() { return !this.isGo || removesDeadStones(this.rules); }

  /** What was computed of this position, by name. */
  remembered(name, compute) {
    this.cache ??= {};
    if (!(name in this.cache)) this.cache[name] = compute();
    return this.cache[name];
  }

  /** Int8Array: the stones row by row. */
  get stones() {
    return this.remembered("stones", () => {
      const colours = this.engine.load(this).colour;
      return Int8Array.from(boardPoints(this.shape), (point) => colours[point]);
    });
  }

  get captures() {
    const b = this.engine.load(this);
    return { [BLACK]: b.black_captures, [WHITE]: b.white_captures };
  }

  get areaKomi() {
    const b = this.engine.load(this);
    return this.engine.call("area_komi", b, this.whitePoints);
  }

  get isNoResult() {
    return this.isGo && KO_RULES[this.rules.ko] === SIMPLE_KO
      && this.remembered("isNoResult", () => this.engine.call("is_no_result", this.engine.load(this), this.engine.history));
  }

  get isOver() { return this.engine.call("is_over", this.engine.load(this)) || this.isNoResult; }

  get winner() { return this.engine.load(this).winner; }

  hasSameRules(other) {
    const same = (name) => this[name] === other[name];
    const sameShape = this.shape.join() === other.shape.join();
    if (!this.isGo) return sameShape && same("game") && same("k") && same("exactly");
    return sameShape && same("game") && same("whitePoints")
      && ["ko", "scoring", "tax"].every((name) => this.rules[name] === other.rules[name]);
  }

  checkHasMoves() {
    if (this.isOver && !this.mayPass) throw new BadInput("the game is over: there is no move to search for");
  }

  // ---- legal moves

  whyIllegal(point, colour = this.toPlay) {
    if (!this.isGo) {
      if (this.isOver) return "comes after the end of the game";
      if (point === PASS) return "is not a move of Gomoku";
      if (!isOnBoard(point, this.shape)) return `is not a point of the ${formatSize(this.shape)} board`;
      return this.engine.load(this).colour[point] === EMPTY ? null : "is occupied";
    }
    if (point === PASS) return null;
    if (!isOnBoard(point, this.shape)) return `is not a point of the ${formatSize(this.shape)} board`;
    const b = this.engine.load(this);
    const reason = REASONS[this.engine.call("legality", b, point, colour)];
    if (reason) return reason;
    const repeats = this.rules.ko === "SITUATIONAL" ? this.repeatsSituation(point, colour)
      : this.engine.call("repeats", b, this.engine.history, point, colour, KO_RULES[this.rules.ko]);
    return repeats ? "repeats a position (superko)" : null;
  }

  /** Whether an otherwise legal move repeats a position with the same side to move. */
  repeatsSituation(point, colour) {
    const b = this.engine.load(this);
    if (!b.ever_captured[point]) return false;
    const after = this.engine.call("hash_after", b, point, colour);
    return [...this.moves.map((move) => move.toPlay), this.toPlay].some((side, i) => side === -colour && this.hashes[i] === after);
  }

  /** The points on which the side to move may play; a pass is not listed. */
  get legalPoints() { return this.remembered("legal", () => this.pointsToPlay(false)); }

  /** The legal points that fill no true eye of the side to move. */
  get sensiblePoints() { return this.remembered("sensible", () => this.pointsToPlay(true)); }

  pointsToPlay(sensible) {
    if (!this.isGo) {
      if (this.isOver) return [];
      return boardPoints(this.shape).filter((_, i) => this.stones[i] === EMPTY);
    }
    const isSituational = this.rules.ko === "SITUATIONAL";
    const { engine } = this;
    const n = engine.call("legal_points", engine.load(this), engine.history, sensible,
      isSituational ? SIMPLE_KO : KO_RULES[this.rules.ko],
      engine.found);
    const points = Array.from(engine.found.data.subarray(0, n), Number);
    return isSituational ? points.filter((point) => !this.repeatsSituation(point, this.toPlay)) : points;
  }

  // ---- moves

  play(point, colour = this.toPlay) {
    const reason = this.whyIllegal(point, colour);
    if (reason) throw new IllegalMove(`illegal move: ${nameOf(point, this.shape)} ${reason}`);
    return this.playUnchecked(point, colour);
  }

  playUnchecked(point, colour) {
    if (this.plies + 1 > this.engine.kernels.constants.MAX_MOVES) {
      throw new IllegalMove(`a game has at most ${this.engine.kernels.constants.MAX_MOVES} moves`);
    }
    const b = this.engine.load(this);
    const toPlay = b.to_play;
    this.engine.call(`play_${this.game}`, b, point, colour);
    const hashes = new BigUint64Array(this.hashes.length + 1);
    hashes.set(this.hashes);
    hashes[this.hashes.length] = b.hash;
    return this.copy({ board: b.bytes.slice(), hashes, moves: [...this.moves, { point, colour, toPlay }], last: point,
      mover: colour,
      toPlay: b.to_play, start: this.plies ? this.start : this });
  }

  /** The position after [colour, point]s of a record: repetitions are allowed. */
  playMoves(moves) {
    if (!moves.length) return this;
    const { MAX_MOVES } = this.engine.kernels.constants;
    if (this.plies + moves.length > MAX_MOVES) throw new IllegalMove(`a game has at most ${MAX_MOVES} moves`);
    const b = this.engine.load(this);
    const encoded = moves.map(([colour, point]) => moveIndex(point, this.shape) + (colour === WHITE ? WHITE_BIT : 0));
    const { engine } = this;
    const played = this.isGo ? engine.call("replay", b, engine.history, engine.encode(encoded), 0, moves.length)
      : this.replayGomoku(b, moves);
    let before = this.toPlay;
    const done = moves.slice(0, played).map(([colour, point]) => {
      const move = { point, colour, toPlay: before };
      before = -colour;
      return move;
    });
    const [mover, last] = done.length ? moves[done.length - 1] : [this.mover, this.last];
    const after = this.copy({ board: b.bytes.slice(), hashes: engine.hashesUpTo(this.plies + played),
      moves: [...this.moves, ...done], last,
      mover, toPlay: b.to_play, start: this.plies ? this.start : this });
    if (played < moves.length) throw after.illegalMove(moves[played][1], moves[played][0]);
    return after;
  }

  replayGomoku(b, moves) {
    const history = this.engine.history.data;
    for (const [i, [colour, point]] of moves.entries()) {
      if (point === PASS || this.engine.call("is_over", b) || b.colour[point] !== EMPTY) return i;
      this.engine.call("play_gomoku", b, point, colour);
      history[this.plies + i + 1] = b.hash;
    }
    return moves.length;
  }

  illegalMove(point, colour) {
    return new IllegalMove(`move ${this.plies + 1}: ${NAMES[colour]} ${nameOf(point, this.shape)} ${this.whyIllegal(point, colour)}`);
  }

  /** Every position from the start to this one. */
  positions() {
    if (!this.plies) return [this];
    const found = [this.start.withTurn(this.moves[0].toPlay)];
    for (const [i, { point, colour }] of this.moves.slice(0, -1).entries()) {
      found.push(found[i].playUnchecked(point, colour).withTurn(this.moves[i + 1].toPlay));
    }
    return [...found, this];
  }

  withTurn(colour) {
    if (colour === this.toPlay) return this;
    const b = this.engine.load(this);
    this.engine.call("set_to_play", b, colour);
    return this.copy({ board: b.bytes.slice(), toPlay: colour });
  }

  withKomi(komi) { return this.copy({ komi }); }

  withRules(rules) {
    const other = this.copy({ rules, start: this.plies ? this.start.withRules(rules) : null });
    const b = this.engine.load(this);
    other.setRules(b);
    other.board = b.bytes.slice();
    return other;
  }

  // ---- new starts

  /** A new start: this board with more stones on it. */
  withStones(black, white, toPlay = this.toPlay) {
    const index = (point, colour) => {
      if (!isOnBoard(point, this.shape)) throw impossible(point, colour, this.shape);
      return moveIndex(point, this.shape);
    };
    return this.withSetup([...encodeStones(this.stones), ...black.map((point) => index(point, BLACK)),
      ...white.map((point) => index(point, WHITE) + WHITE_BIT)], toPlay);
  }

  /** A new start: these stones, row by row, in the place of those on this board. */
  withBoard(stones, toPlay) { return this.withSetup(encodeStones(stones), toPlay); }

  withSetup(setup, toPlay) {
    const { game, shape, komi, rules, k, exactly } = this;
    const other = Position.empty(this.engine, { game, shape, komi, rules, k, exactly }, toPlay);
    other.handicap = Math.min(this.handicap, setup.filter((stone) => !(stone & WHITE_BIT)).length);
    const b = this.engine.load(other);
    const placed = this.engine.call(`set_up_${this.game}`, b, this.engine.encode(setup));
    if (placed < setup.length) {
      const point = pointOfIndex(setup[placed] & (WHITE_BIT - 1), shape);
      throw impossible(point, setup[placed] & WHITE_BIT ? WHITE : BLACK, shape);
    }
    return other.started(b);
  }

  withHandicap(points) { return Object.assign(this.withStones(points, [], WHITE), { handicap: points.length }); }

  /** A new start without the stones on these points, which are then prisoners. */
  withoutStones(points) {
    const dead = new Set(points);
    const on = boardPoints(this.shape);
    const of = (colour) => on.filter((point, i) => this.stones[i] === colour && !dead.has(point));
    const died = (colour) => on.filter((point, i) => this.stones[i] === colour && dead.has(point)).length;
    const { captures } = this;
    const empty = Position.empty(this.engine, { game: "go", shape: this.shape, komi: this.komi, rules: this.rules }, this.toPlay);
    const other = empty.withStones(of(BLACK), of(WHITE));
    other.handicap = this.handicap;
    const b = this.engine.load(other);
    b.black_captures = captures[BLACK] + died(WHITE);
    b.white_captures = captures[WHITE] + died(BLACK);
    other.board = b.bytes.slice();
    return other;
  }

  // ---- the end

  /** Black's points minus White's, every stone alive; in Gomoku 1 if Black has won, -1 if White has. */
  score() {
    if (!this.isGo) return this.winner;
    if (this.isNoResult) return 0;
    this.engine.load(this);
    return this.engine.call("points", this.engine.boards) - this.whitePoints;
  }

  result() {
    if (this.isGo) return this.isNoResult ? "Void" : formatScore(this.score());
    const { winner } = this;
    return winner === BLACK ? "B+" : winner === WHITE ? "W+" : this.isOver ? "0" : "?";
  }

  /** The points of the winning row of Gomoku, in order. */
  get row() {
    const { winner } = this;
    if (this.isGo || !winner) return [];
    const colours = this.engine.load(this).colour.slice();
    const width = this.shape[1] + 1;
    const run = (d) => { let n = 0; while (colours[this.last + (n + 1) * d] === winner) n += 1; return n; };
    for (const step of [1, width - 1, width, width + 1]) {
      const [before, after] = [run(-step), run(step)];
      const n = before + 1 + after;
      if (n === this.k || (n > this.k && !this.exactly))
        return Array.from({ length: n }, (_, i) => this.last + (i - before) * step);
    }
    return [];
  }
}

const impossible = (point, colour, shape) =>
  new IllegalMove(`a ${NAMES[colour].toLowerCase()} stone cannot be placed on ${nameOf(point, shape)}`);

export const encodeStones = (stones) => Array.from(stones)
  .flatMap((stone, i) => (stone ? [i + (stone === WHITE ? WHITE_BIT : 0)] : []));

export function formatPoints(points) {
  return points.toFixed(6).replace(/0+$/, "").replace(/\.$/, "");
}

export function formatScore(score) {
  return score === 0 ? "0" : `${score > 0 ? "B" : "W"}+${formatPoints(Math.max(Math.abs(score), 1e-6))}`;
}

export function checkKomi(komi) {
  if (!(komi >= -1e6 && komi <= 1e6)) throw new BadInput(`komi is a number from -1,000,000 to 1,000,000, not ${formatG(komi)}`);
}
