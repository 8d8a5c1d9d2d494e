// The opponents: random, policy, randompolicy, uct and mcts.  mugo/players/player.py, policy.py and searcher.py.

import { PASS, WHITE, areaOf, moveIndex } from "./coords.js";
import { candidateMoves, moveOrPass, planMove, valueOfLastPass } from "./passing.js";
import { withTemperature } from "./root.js";
import { countStones } from "./scoring.js";
import { Search } from "./search.js";

export const RESIGN = -1;
const TEMPERATURE = 0.5;                 // of randompolicy

/** The player of an opponent: an object with `select(position, seconds, control)` -> point, RESIGN or PASS; `result`: the
    search of its last move. */
export function makePlayer(engine, opponent, game, networks) {
  if (opponent.player === "random") return new RandomPlayer();
  if (opponent.player.endsWith("policy")) return new PolicyPlayer(engine, networks, opponent.player === "policy" ? 0 : TEMPERATURE);
  return new SearchPlayer(engine, opponent, game, opponent.player === "mcts" ? networks : null);
}

const sampled = (points, weights) => {
  let left = Math.random() * weights.reduce((a, b) => a + b, 0);
  return points[Math.max(weights.findIndex((weight) => (left -= weight) < 0), 0)];
};

function passOrThrow(position) {
  position.checkHasMoves();
  return PASS;
}

class RandomPlayer {
  async select(position) {
    const points = position.sensiblePoints;
    return points.length ? sampled(points, points.map(() => 1)) : passOrThrow(position);
  }

  release() {}
}

class PolicyPlayer {
  constructor(engine, networks, temperature) { Object.assign(this, { engine, networks, temperature }); }

  async select(position) {
    if (this.temperature === 0 && !position.isGo && !position.isOver) {
      const [forced] = this.engine.call("forced_move_gomoku", this.engine.load(position), false);
      if (forced) return forced;
    }
    const network = await this.networks.forPosition(position);
    const { priors } = await network.evaluate([position], { withSymmetries: true });
    const points = position.mayPass ? candidateMoves(position, priors, !position.removesDeadStones) : position.sensiblePoints;
    if (!points.length) return passOrThrow(position);
    const weights = points.map((point) => priors[moveIndex(point, position.shape)]);
    if (this.temperature === 0) return points[weights.indexOf(Math.max(...weights))];
    return sampled(points, withTemperature(weights, this.temperature));
  }

  release() {}
}

class SearchPlayer {
  constructor(engine, opponent, game, networks) {
    const { select_by: selectBy } = engine.facts.searches[opponent.player][game];
    this.options = { ...opponent, selectBy, resign: game === "go" ? opponent.resign : 0 };
    Object.assign(this, { engine, game, networks });
    this.search = new Search(engine, opponent.player, game, networks, { max_edges: engine.facts.constants.opponents.MAX_EDGES });
    this.lastMoves = new Map();          // of each colour, if it came of a search: { searched, hopeless }
  }

  release() {
    this.search.release();
    this.brief?.release();
  }

  async select(position, seconds, control) {
    Object.assign(this, { result: null, control, hasOtherKomi: false });
    const { toPlay } = position;
    let last = this.lastMoves.get(toPlay);
    this.lastMoves.delete(toPlay);
    if (last && !isFollowedBy(last, position)) last = undefined;
    if (!position.sensiblePoints.length) return passOrThrow(position);
    const cleanup = !position.removesDeadStones;
    const plan = planMove(position, cleanup);
    if (plan.winsByPass && plan.movesFirst.length < 2) return plan.movesFirst[0] ?? PASS;
    const allowedMoves = plan.movesFirst.length ? plan.movesFirst : null;
    let limit = this.seconds(seconds);
    const deadline = this.search.now() + limit;
    if (plan.mayPass) limit *= 0.8;
    const searched = this.options.dynamic_komi && !plan.mayPass ? balanced(position) : position;
    this.hasOtherKomi = searched !== position;
    this.result = await this.search.search(searched,
      { simulations: this.options.simulations ?? Infinity, seconds: limit, allowedMoves,
      mayPass: plan.mayPass && !(allowedMoves || plan.mayEndGame),
        selectBy: plan.mayEndGame ? null : this.options.selectBy, control });
    const best = this.result.best(this.options.selectBy);
    const isHopeless = !allowedMoves && this.isHopeless(best, toPlay);
    const hopeless = isHopeless ? (last?.hopeless ?? 0) + Number(position.plies >= 20 * position.handicap) : 0;
    this.lastMoves.set(toPlay, { searched, hopeless });
    if (allowedMoves) return best.point;
    const isLost = !(plan.mayEndGame && valueOfLastPass(position));
    if (hopeless >= this.options.resign_moves && isLost) return RESIGN;
    if (!position.mayPass || this.hasOtherKomi) return best.point;
    return moveOrPass((of, options) => this.searchBriefly(deadline, of, options), this.result, best,
      { cleanup, plan, rolloutWeight: this.search.tree.params.lambda_ });
  }

  isHopeless(best, colour) {
    const { MIN_VISITS } = this.engine.facts.constants.passing;
    return best.winRate < this.options.resign && (best.visits >= MIN_VISITS || best.proven !== null)
      && (!this.hasOtherKomi || colour === WHITE);
  }

  async searchBriefly(deadline, position, options) {
    const { MIN_VISITS } = this.engine.facts.constants.passing;
    const seconds = deadline - this.search.now();
    if (seconds <= 0) return null;
    const { max_edges: edges } = this.search.settings;
    this.brief ??= new Search(this.engine, this.options.player, this.game, this.networks,
      { max_edges: Math.min(edges, this.engine.facts.constants.searcher.BRIEF_EDGES), reuse_tree: false, early_stop: false });
    const simulations = Math.floor(Math.max(this.result.simulations, MIN_VISITS) / 4);
    const control = { ...this.control, onProgress: null };
    const result = await this.brief.search(position, { simulations, seconds, control, ...options });
    return result.visits >= Math.floor(MIN_VISITS / 4) || result.proven !== null ? result : null;
  }

  seconds(given) {
    const { SECONDS } = this.engine.facts.constants.searcher;
    const own = this.options.seconds ?? (given === null && this.options.simulations === null ? SECONDS : Infinity);
    return Math.min(own, given ?? Infinity);
  }
}

/** Whether a position is two moves after the last search of its side, in the same game. */
const isFollowedBy = ({ searched: { hashes } }, position) =>
  position.hashes.length === hashes.length + 2 && hashes.every((hash, i) => hash === position.hashes[i]);

/** This position; in a handicap game with the komi that makes it about even, as long as most moves are to come. */
function balanced(position) {
  if (!position.isGo) return position;
  const { MOVES_PER_POINT, KOMI_STEP, MAX_KOMI_SHARE } = position.engine.facts.constants.searcher;
  const left = Math.max(0, 1 - position.plies / (MOVES_PER_POINT * position.area));
  const gain = position.engine.call("expected_gain", position.handicap, position.whitePoints, 1) / KOMI_STEP;
  const most = Math.floor((MAX_KOMI_SHARE * position.area - position.whitePoints) / KOMI_STEP);
  const steps = roundHalfEven(Math.min(gain, most) * left);
  return steps > 0 ? position.withKomi(position.komi + KOMI_STEP * steps) : position;
}

export const roundHalfEven = (x) => { const r = Math.round(x); return Math.abs(x % 1) === 0.5 && r % 2 ? r - 1 : r; };

/** The time limit of the next move by a clock, { main, period, periods, increment }: mugo/players/time_control.py. */
export function secondsOf(clock, position) {
  const { FULL_BOARD, SAFETY_MARGIN, LAG, LATE_SHARES, MIN_SECONDS } = position.engine.facts.constants.time_control;
  const hasPeriods = clock.period && clock.periods;
  const [period, increment] = hasPeriods ? [clock.period, 0] : [0, clock.increment];
  const area = areaOf(position.shape);
  const remaining = Math.max((FULL_BOARD * area - countStones(position)) / 2, area / 12, 8);
  const own = Math.min(increment, clock.main);
  const reserve = period ? 0 : Math.max(LAG - increment, 0) * area / 3;
  const main = own + 2 * (clock.main - own - reserve) / remaining;
  const late = reserve ? (clock.main - own - reserve / 2) / (LATE_SHARES * remaining) : 0;
  const withoutLag = (share) => Math.max((1 - SAFETY_MARGIN) * share - LAG, MIN_SECONDS);
  return Math.max(withoutLag(Math.max(main, period)), Math.min(late, Infinity));
}

