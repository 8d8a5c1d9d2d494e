// The search that the server runs for this page: one at a time.
//
//   desired(state) -> the job that should run -> it is started, and the one that runs is stopped
//
// An answer counts if its job is still the one.  What a job finds goes into its node; what it ends, or a failure ends, into
// the state, from which the next job follows.
//
//   genmove    MuGo's move in a node; it goes on while the person looks at another one
//   check      a search of a node for teaching: the position before a move, the one after it, or before one is played
//   line       the analysis of one of all moves of a line
//   prepare    a search of the position of an exercise, with which an answer is judged; try: one after the answer
//   hint       two seconds of analysis, for the best move
//   analyze    an analysis until it is stopped; of a region, and without some moves, it is none of the position
//   values     the network's values along a part of a line
//
// And the clock, which runs as the state of the game demands, and ends the game when a flag falls.

import { isBetter, isComplete, ofResult } from "../core/analysis.js";
import { EXERCISE_VISITS, asked, settle, verdict } from "../core/exercises.js";
import { mistakes } from "../core/losses.js";
import { searchFields } from "../core/region.js";
import { DEEPER, DEPTHS, aroundMistakes } from "../core/review.js";
import { colourName, t } from "../core/texts.js";
import {
  hasNetwork, isGameOver, isMuGoToMove, isToBePrepared, lineLosses, offer, reviewedColour, runningColour, searchPlayer,
  uncheckedNode,
} from "../queries.js";
import { fetchPosition } from "../requests.js";
import { server } from "../server.js";
import { change, showError, showMistake, state } from "../store.js";

const HINT_SECONDS = 2;
const CHECK_SIMULATIONS = { mcts: 1600, uct: 8000 };     // of each search of teaching, at most
const CHECK_SECONDS = 2;                         // of each, by the clock
const MAX_WAIT = 5000;                           // milliseconds for each, after which the game goes on without

/** The job that should run in a state; null if none should.  The current one, if it should go on. */
export function desired(state) {
  const { game, job, server: { isConnected, isPaused }, at } = state;
  if (!isConnected || !game || (isPaused && !game.clock)) return null;
  if (job?.kind === "genmove" && job.game === game && state.human && !game.result && !job.isCancelled) return job;
  const { node } = game;
  const make = (kind, fields = {}) => ({ kind, game, node, player: searchPlayer(state), isWaiting: false, ...fields });
  const isKnown = node.position && game.opponents;
  if (state.exercise) return isKnown ? exerciseJob(state, make) : null;
  if (isKnown && state.tool === null) {
    const unchecked = uncheckedNode(state);
    if (unchecked) return make("check", { node: unchecked });
    if (isMuGoToMove(state) && !offer(state) && !at.failed.has("genmove")) return make("genmove", { player: state.opponent });
  }
  const { lineAnalysis, segments } = state;
  if (segments.length && game.opponents && hasNetwork(state)) return make("values", { node: segments[0].at(-1) });
  if (lineAnalysis && game.opponents) return make("line", { node: lineAnalysis.nodes[lineAnalysis.done] });
  if (!isKnown || isGameOver(node)) return null;
  const searched = { region: state.region, picks: at.picks };
  if (at.isHintWanted) return make("hint", searched);
  if (state.analyzing) return make("analyze", searched);
  return isToBePrepared(state) && !at.failed.has("check") ? make("check") : null;
}

/** The search that an exercise needs: the position before the move, then the one after an answer. */
function exerciseJob({ exercise, at }, make) {
  const before = asked(exercise)?.parent;
  if (!before) return null;
  const isPrepared = isComplete(before.analysis, EXERCISE_VISITS) || at.failed.has("prepare");
  if (!isPrepared) return make("prepare", { node: before });
  const { tried } = exercise;
  return tried && !verdict(exercise) && !at.failed.has("try") ? make("try", { node: tried }) : null;
}

const isSame = (a, b) => a === b || Boolean(a && b && ["kind", "game", "node", "player", "region", "picks"].every((name) => a[name] === b[name]));

/** Start and stop jobs as the state demands. */
export function runJobs() {
  advanceLine();
  const [job, running] = [desired(state), state.job];
  if (!isSame(job, running)) {
    change(() => { state.job = job; });
    if (job) run(job);
    else server.request("stop").catch(() => {});
  }
  const current = state.job;
  if (current?.kind === "check" && uncheckedNode(state) === current.node) {
    current.timer ??= setTimeout(() => state.job === current && end(current), MAX_WAIT);
  }
}

/** Pass over the nodes of the line that need no search; at its end go on with those around mistakes, deeper. */
export function advanceLine() {
  const { lineAnalysis } = state;
  if (!lineAnalysis) return;
  const { game, nodes, line } = lineAnalysis;
  const visits = visitsOf(lineAnalysis);
  while (lineAnalysis.done < nodes.length && isSearched(game, nodes[lineAnalysis.done], visits)) lineAnalysis.done += 1;
  if (lineAnalysis.done < nodes.length) return;
  const deeper = { ...lineAnalysis, isDeeper: true, done: 0, searched: 0, spent: 0 };
  deeper.nodes = aroundMistakes(line).filter((node) => !isSearched(game, node, visitsOf(deeper)));
  change(() => { state.lineAnalysis = deeper.nodes.length ? deeper : null; });
  if (!deeper.nodes.length) showWorst(lineAnalysis);
}

/** The analysis of a line has ended: go to its largest mistake, if the person is still where it began. */
function showWorst({ game, from }) {
  const { at, tool, exercise, settings, oneThing } = state;
  if (game !== state.game || game.node !== from || at.mistake || oneThing || tool !== null || exercise || settings.mode !== "review") return;
  const [worst] = mistakes(lineLosses(state).moves, reviewedColour(state));
  if (worst) change(() => showMistake(state, worst.node));
}

/** The visits of each position of an analysis of a line. */
const visitsOf = ({ depth, isDeeper }) => DEPTHS[depth] * (isDeeper ? DEEPER : 1);

const isSearched = (game, node, visits) => node.final
  || (isComplete(node.analysis, visits) && !(game.isGo && game.isCounted(node)));

async function run(job) {
  const { game, node } = job;
  job.startedAt = performance.now();
  try {
    if (job.kind === "line") {
      await fetchPosition(game, node);
      if (state.job !== job) return;
      if (game.isGo && node.position.is_over) {          // a search would count dead stones as alive
        const { result } = await server.request("score", game.requestFields(node));
        change(() => {
          node.final = ofResult(result) ?? ofResult("0");
          game.touch();
          if (state.job === job) state.job = null;
        });
        return;
      }
      if (node.final) {
        change(() => { state.job = null; });
        return;
      }
    }
    const [command, fields] = REQUESTS[job.kind](job);
    const answer = await server.request(command, { ...game.requestFields(node), ...fields }, (progress) => {
      // An exercise is judged by whole searches: with a part of one the job would be wanted no more before it has ended.
      if (state.job === job && !["prepare", "try"].includes(job.kind)) change(() => take(job, progress));
    });
    if (state.job !== job) return;
    change(() => take(job, answer));
    end(job, answer);
  } catch (error) {
    if (state.job !== job) return;
    end(job);
    if (job.kind !== "check") showError(error);      // the game goes on without it
  } finally {
    clearTimeout(job.timer);
  }
}

/** What a search is restricted to. */
const restriction = ({ game, region, picks }) => searchFields(region, picks, game.size);

// kind -> the request: [command, fields]
const REQUESTS = {
  genmove({ game, node, player }) {
    const clock = game.clock?.node === node ? { clock: game.clock.forServer(game.toPlay(node)) } : {};
    return ["genmove", { opponent: player, ...clock }];
  },
  check: ({ player }) => ["analyze", { player, simulations: CHECK_SIMULATIONS[player], seconds: CHECK_SECONDS }],
  line: ({ player }) => ["analyze", { player, simulations: visitsOf(state.lineAnalysis) }],
  prepare: ({ player }) => ["analyze", { player, simulations: EXERCISE_VISITS }],
  try: ({ player }) => ["analyze", { player, simulations: EXERCISE_VISITS }],
  hint: (job) => ["analyze", { player: job.player, seconds: HINT_SECONDS, ...restriction(job) }],
  analyze: (job) => ["analyze", { player: job.player, ...restriction(job) }],
  values: () => ["evaluate", {}],
};

/** Take what an answer has found into the node.  Teaching shows nothing before it offers a move back. */
function take(job, { search, thinking, waiting }) {
  const { game, node } = job;
  job.isWaiting = Boolean(waiting);
  if (thinking) node.thinking = thinking;
  if (search && (job.region || job.picks?.size)) state.at.localSearch = search;
  else if (search && job.kind !== "check") storeAnalysis(game, node, search, job.kind === "line");
}

function storeAnalysis(game, node, search, isUnsaved) {
  if (!isBetter(search, node.analysis)) return;
  node.analysis = search;
  game.touch(isUnsaved);
}

/** A job has ended with an answer, or without one: it has failed, was stopped by the server or has taken too long. */
function end(job, answer = {}) {
  change(() => {
    state.job = null;
    ENDS[job.kind](job, answer);
  });
}

const ENDS = {
  genmove({ game, node }, { move }) {
    const colour = game.checkFlag();
    if (colour) {
      showFlag(colour);
    } else if (!move) {
      if (node === state.at.node) state.at.failed.add("genmove");
    } else if (move === "resign") {
      game.setResult(`${node.position.to_play === "B" ? "W" : "B"}+R`, node);
      state.at.message = null;
    } else {
      const { node: current } = game;
      const { hover } = state.at;
      game.goTo(node);
      const child = game.add(`${node.position.to_play} ${move}`);
      game.pressClock(node, child, node.position.to_play);
      if (current !== node) game.goTo(current);
      else state.at.hover = hover;
    }
  },

  check({ game, node, player }, { search }) {
    if (search) {
      node.evaluation = { player, ...search };
      if (!(node.analysis?.visits > search.visits)) storeAnalysis(game, node, search, false);
    } else if (uncheckedNode(state) === node) {
      node.evaluation = { player, isMissing: true };
    } else {
      state.at.failed.add("check");
    }
    if (offer(state)) state.at.message = null;
  },

  line({ node, startedAt }, { search }) {
    const { lineAnalysis } = state;
    if (!search) {
      state.lineAnalysis = null;
      return;
    }
    lineAnalysis.searched += 1;
    lineAnalysis.spent += performance.now() - startedAt;
    if (!isComplete(node.analysis, visitsOf(lineAnalysis))) lineAnalysis.done += 1;      // it has no moves
  },

  prepare({ node }, { search }) {
    if (!search || !isComplete(node.analysis, EXERCISE_VISITS)) state.at.failed.add("prepare");
    if (state.exercise) settle(state.exercise);
  },

  try(_, { search }) {
    if (!search || (state.exercise && !settle(state.exercise))) state.at.failed.add("try");
  },

  hint(_, { search }) {
    state.at.isHintWanted = false;
    const best = search?.moves[0];
    if (!best) return;
    Object.assign(state.at, { hinted: best.move, message: { text: t("bestMove", { move: best.move }) } });
  },

  analyze() { state.analyzing = false; },

  values({ game }, { win_rates: winRates, leads }) {
    const segment = state.segments.shift();
    if (!winRates) {
      state.segments = [];
      return;
    }
    const count = (node) => game.requestFields(node).moves.length;
    const start = count(segment[0]);
    for (const node of segment) {
      const i = count(node) - start;
      Object.assign(node, { value: winRates[i], value_lead: leads?.[i] ?? null });
    }
    game.touch(false);
  },
};

/** A side has lost on time: say it where the board does not show it. */
export function showFlag(colour) {
  const { game } = state;
  state.at.message = game.node === game.clock.node ? null : { text: t("lostOnTime", { colour: colourName(colour) }) };
}

// ---- the clock

const CHECKED_EVERY = 100;               // milliseconds
let timer = null;

export function runClock() {
  clearTimeout(timer);
  const { clock } = state.game ?? {};
  if (!clock) return;
  clock.run(runningColour(state));
  // A timer may be late, in a tab in the background for instance, or early, where the machine has slept: the clock itself
  // says how much time has passed.
  if (clock.colour) timer = setTimeout(runClock, Math.max(0, Math.min(CHECKED_EVERY, 1000 * clock.secondsToEnd(clock.colour))));
  const { game } = state;
  const colour = game.checkFlag();
  if (colour) change(() => showFlag(colour));
}
