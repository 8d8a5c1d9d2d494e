// When a player passes in Go, and whether a game is over: mugo/players/passing.py, whose docstring has the reasons.

import { BLACK, EMPTY, PASS, WHITE, moveIndex } from "./coords.js";
import { chains, coloursOf, countStones, finalScore, judge, neighbours, neutralPoints, ownersAt, ownership, stonesInSeki,
  unsettledPoints,
  withoutDead } from "./scoring.js";

const constants = (position) => ({ ...position.engine.facts.constants.passing, ...position.engine.facts.constants.scoring,
  ...position.engine.facts.reading });

export const isNearlyOver = (position) => unsettledPoints(position) !== null;

/** Whether nothing is left to play for by territory, and by area neutral points at most. */
export function isFinished(position) {
  return position.remembered("isFinished", () => {
    const { MOVE_ROLLOUTS, CLEAR_SURVIVAL, MAX_UNCLEAR } = constants(position);
    if (3 * countStones(position) < position.area) return false;
    const owners = ownership(position, MOVE_ROLLOUTS, "mogo");
    if (unclearChains(position, owners, CLEAR_SURVIVAL - 0.3).length > MAX_UNCLEAR || !judge(position, false).isClear) return false;
    const cleared = withoutDead(position);
    const colours = coloursOf(cleared);
    return neutralPoints(cleared).every((point) => {
      const near = neighbours(point, cleared).map((each) => colours[each]);
      return near.includes(BLACK) && near.includes(WHITE);
    });
  });
}

function unclearChains(position, owners, limit) {
  return chains(position).filter((chain) => {
    const mean = ownersAt(owners, chain, position.shape).reduce((a, b) => a + b, 0) / chain.length;
    return Math.abs(mean) <= limit;
  });
}

/** The neutral points of a finished position that are worth a move by area. */
function dame(position) {
  const cleared = withoutDead(position), inSeki = new Set(stonesInSeki(position));
  return neutralPoints(cleared).filter((point) => !neighbours(point, cleared).some((each) => inSeki.has(each)));
}

/** The sensible points that are liberties of dead chains of the opponent. */
function deadLiberties(position) {
  const left = coloursOf(withoutDead(position)), colours = coloursOf(position);
  const liberties = new Set(chains(position).filter(([first]) => left[first] === EMPTY && colours[first] === -position.toPlay)
    .flatMap((chain) => chain.flatMap((point) => neighbours(point, position))));
  return position.sensiblePoints.filter((point) => liberties.has(point));
}

/** Whether an analysis looks at a pass: where it is named, and in Go near the end, as people would. */
export function maySearchPass(position, avoided, mayEndGame = true) {
  if (avoided?.named.has(`${position.toPlay} ${PASS}`)) return true;
  return position.mayPass && (mayEndGame || position.last !== PASS) && isNearlyOver(position);
}

/** The sensible points that a policy player chooses from; none where it should pass. */
export function candidateMoves(position, priors, cleanup = false) {
  if (cleanup) {
    const points = candidateMoves(position, priors);
    return points.length || position.plies >= 2 * position.area ? points : deadLiberties(position);
  }
  const points = position.sensiblePoints, { area, shape } = position;
  if (position.plies >= 2 * area || !points.length) return [];
  if (countStones(position) < area / 4) return points;
  const priorOf = (point) => priors[moveIndex(point, shape)], ofPass = priors[area];
  const prefersPass = ofPass > Math.max(...points.map(priorOf));
  if (isFinished(position)) {
    if (position.countsTerritory) return [];
    const neutral = new Set(dame(position));
    return points.filter((point) => neutral.has(point));
  }
  if (position.countsTerritory) {
    if (position.last === PASS && finalScore(position) * position.toPlay > 0) return [];
    if (!prefersPass && !isNearlyOver(position)) return points;
  } else if (position.last === PASS) {
    if (position.score() * position.toPlay > 0) return [];
    if (withoutDead(position).score() * position.toPlay > 0) return points;
  } else if (!prefersPass) {
    return points;
  }
  const owners = ownership(position);
  const unsettled = points.filter((point) => Math.abs(owners[moveIndex(point, shape)]) < Math.fround(constants(position).SETTLED));
  return prefersPass ? unsettled.filter((point) => priorOf(point) > Math.fround(ofPass / 10)) : unsettled;
}

/** What the move in a position may be: { mayPass, isFinished, mayEndGame, winsByPass, movesFirst }. */
export function planMove(position, cleanup) {
  const finished = position.mayPass && isFinished(position);
  if (!position.mayPass || !((cleanup && position.last === PASS) || finished || isNearlyOver(position)))
    return { mayPass: false, movesFirst: [] };
  const wins = position.last === PASS && isWon(position, cleanup) && (cleanup || finished || judge(position, false).isClear);
  return { mayPass: true, isFinished: finished, mayEndGame: position.last === PASS && !position.countsTerritory, winsByPass: wins,
    movesFirst: wins && cleanup ? deadLiberties(position) : [] };
}

/** The win rate, 0, 1/2 or 1, of the side to move if it ends the game by a pass. */
export function valueOfLastPass(position) {
  return (1 + Math.sign(position.countsTerritory ? finalScore(position) : position.score()) * position.toPlay) / 2;
}

/** The point to play after a search whose best move is `best`, or PASS.  searchBriefly: async (position, options). */
export async function moveOrPass(searchBriefly, result, best, { cleanup, plan, rolloutWeight }) {
  const { position } = result;
  const { MARGIN, FINISHED_MARGIN, ROLLOUT_MARGIN } = constants(position);
  const least = best.winRate - (plan.isFinished ? Math.max(FINISHED_MARGIN, ROLLOUT_MARGIN * rolloutWeight) : MARGIN);
  if (plan.isFinished && !position.countsTerritory) {
    const sensible = new Set(position.sensiblePoints);
    const neutral = dame(position).filter((point) => sensible.has(point)).sort((a, b) => a - b);
    const filled = neutral.length ? await searchBriefly(position, { allowedMoves: neutral }) : null;
    if (filled && filled.best().winRate >= least) return filled.best().point;
  }
  if (plan.isFinished || isSettled(result)) {
    const after = await searchBriefly(position.play(PASS), { mayPass: cleanup || position.countsTerritory });
    if (after && 1 - after.winRate >= least) return passUnlessCleanup(result, cleanup);
  }
  if (plan.mayEndGame) {
    const value = valueOfLastPass(position);
    if (value >= Math.max(best.winRate, 0.5) && (isWon(position, cleanup) || best.winRate < value - MARGIN))
      return passUnlessCleanup(result, cleanup);
  }
  if (best.point === PASS) {
    const others = result.moves.filter((info) => info.point !== PASS && info.visits);
    if (isWon(position, cleanup) || !others.length || others[0].winRate < best.winRate - MARGIN)
      return passUnlessCleanup(result, cleanup);
    return others[0].point;
  }
  return best.point;
}

function passUnlessCleanup(result, cleanup) {
  const before = cleanup ? deadLiberties(result.position) : [];
  return result.moves.find((info) => before.includes(info.point))?.point ?? PASS;
}

const isWon = (position, cleanup) => (cleanup ? position.score() : finalScore(position)) * position.toPlay > 0;

/** Whether the owner of every playable point is settled. */
function isSettled(result) {
  const { position } = result, { MIN_VISITS, SETTLED } = constants(position);
  if (result.visits < MIN_VISITS && result.proven === null) return false;
  const owners = result.ownership === null || result.scoreLead !== null
    || result.rollouts < MIN_VISITS ? ownership(position) : result.ownership;
  const points = result.moves.map((info) => info.point).filter((point) => point !== PASS);
  return ownersAt(owners, points, position.shape).every((owner) => Math.abs(owner) > Math.fround(SETTLED));
}
