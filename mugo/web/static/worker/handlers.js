// The server's answers: HANDLERS, and searches, which have progress.  mugo/web/handlers.py and positions.py.

import { BLACK, LETTERS, WHITE, boardPoints, formatGtp, formatMove, interpretGtp } from "./coords.js";
import { BadInput, quoted } from "./errors.js";
import { Networks, boardOf, encode } from "./evaluate.js";
import { makePlayer, RESIGN, roundHalfEven, secondsOf } from "./players.js";
import { maySearchPass } from "./passing.js";
import { colourOfRequest, gameFromPosition, gameOfRequest, optionalPoints, positionOfRequest, requireField,
  requireNumber } from "./requests.js";
import { distinct } from "./result.js";
import { AvoidedMoves } from "./root.js";
import { formatG, useFacts } from "./rules.js";
import { ScoringSession, ownership } from "./scoring.js";
import { Search } from "./search.js";
import { listGames, readGame } from "./sgf.js";
import { attackerOf, withTsumegoFrame } from "./tsumego.js";

const MARKS = { [BLACK]: "X", [WHITE]: "O", 0: "." };

/** A number with some decimals, as Python rounds it. */
export function rounded(x, digits) {
  const scaled = x * 10 ** digits;
  return Math.abs(scaled % 1) === 0.5 ? roundHalfEven(scaled) / 10 ** digits : Number(x.toFixed(digits));
}

/** What all requests need: the engine, the networks and the searches of the page, which keep their trees. */
export class Server {
  /** networks: { open, info }, as in evaluate.js; null without. */
  constructor(engine, networks) {
    useFacts(engine.facts);
    Object.assign(this, { engine, networks: networks && new Networks(engine, networks), analysis: null, opponent: null });
  }

  get hello() { return this.engine.facts.hello; }

  /** The answer to a request.  control: { shouldStop, onProgress } of searches. */
  async answer(request, control) {
    const command = requireField(request, "command", "str");
    const search = SEARCHES[command];
    if (search) return search(this, positionOfRequest(this.engine, request), request, control);
    const handler = HANDLERS[command];
    if (!handler) {
      throw new BadInput(`unknown command ${quoted(command.slice(0, 20))} (known: ${[...Object.keys(HANDLERS), ...Object.keys(SEARCHES), "stop"].join(", ")})`);
    }
    return handler(this, request);
  }

  position(request) { return positionOfRequest(this.engine, request); }

  /** The network for a position.  Throws BadInput if there is none. */
  network(position) { return this.networks.forPosition(position); }
}

// ---- positions

function describePosition(position) {
  const { shape, stones } = position;
  const legal = new Set(position.legalPoints);
  const illegal = boardPoints(shape).filter((point, i) => !stones[i] && !legal.has(point));
  const description = {
    stones: Array.from(stones, (stone) => MARKS[stone]).join(""), to_play: LETTERS[position.toPlay],
    last_move: position.last === null ? null : formatGtp(position.last, shape),
    illegal: Object.fromEntries(illegal.map((point) => [formatGtp(point, shape), position.whyIllegal(point)])),
      is_over: position.isOver };
  if (!position.isGo) {
    return { ...description, row: position.row.map((point) => formatGtp(point, shape)),
      result: position.isOver ? position.result() : null };
  }
  const { captures } = position;
  return { ...description, ...(position.isNoResult ? { result: position.result() } : {}),
    captures: { B: captures[BLACK], W: captures[WHITE] } };
}

function play(position, vertex) {
  const point = interpretGtp(vertex, position.shape);
  return { ...describePosition(position.play(point)), move: formatMove(position.toPlay, point, position.shape) };
}

const blackWinRate = (winRate, { toPlay }) => rounded(toPlay === BLACK ? winRate : 1 - winRate, 4);
const blackLead = (lead, { toPlay }) => (lead == null ? null : rounded(lead * toPlay, 2));
const percent = (owners) => Array.from(owners, (owner) => roundHalfEven(Math.fround(100 * owner)));
const requireGo = (position) => { if (!position.isGo) throw new BadInput("Gomoku has no ownership and no score"); return position; };

async function policy(server, position, rank) {
  const network = await server.network(position);
  if (rank !== null && !network.takesPeople) throw new BadInput("the network does not take who plays");
  const people = rank === null ? null : network.network.peopleOf(rank);
  const output = await network.evaluate([position], { withSymmetries: true, people });
  return { priors: Array.from(output.priors, (prior) => rounded(prior, 5)),
    win_rate: output.values ? blackWinRate((1 + output.values[0]) / 2, position) : null,
    lead: blackLead(output.scoreMean?.[0], position) };
}

async function ownershipOf(server, position) {
  const network = await server.network(requireGo(position));
  let owners = ownership(position), lead = null;
  const output = await network.evaluate([position], { withSymmetries: true });
  if (output.scoreMean) lead = output.scoreMean[0] * position.toPlay;
  if (output.ownership) owners = owners.map((owner, i) =>
    Math.fround(Math.fround(output.ownership[i] * position.toPlay + owner) / 2));
  const ofOwners = owners.reduce((a, b) => Math.fround(a + b), 0) - position.komi - position.handicapBonus;
  return { ownership: percent(owners), lead: rounded(lead ?? ofOwners, 1) };
}

function score(position, dead, toggle) {
  const { shape } = position;
  const session = new ScoringSession(requireGo(position), dead && dead.map((vertex) => interpretGtp(String(vertex), shape)));
  if (toggle != null) session.toggle(interpretGtp(String(toggle), shape));
  const byLetter = (of) => ({ B: of[BLACK], W: of[WHITE] });
  return { dead: [...session.dead].sort((a, b) => a - b).map((point) => formatGtp(point, shape)),
    area: session.ownership().map((owner) => LETTERS[owner] ?? ".").join(""), points: byLetter(session.points()),
    prisoners: position.countsTerritory ? byLetter(session.prisoners()) : null, komi: position.komi,
      handicap_bonus: position.handicapBonus,
    result: session.result() };
}

function tsumegoFrame(server, request) {
  const position = server.position(request);
  if (!position.isGo) throw new BadInput("a tsumego frame is of Go");
  const attacker = "attacker" in request ? colourOfRequest(request, "attacker") : attackerOf(position);
  if (!attacker) throw new BadInput("there are no stones to put a frame around");
  const framed = withTsumegoFrame(position, attacker);
  if (framed === position) throw new BadInput("the stones leave no room for a frame");
  return { game: gameFromPosition(framed), attacker: LETTERS[attacker] };
}

async function opponents(server, request) {
  const position = server.position(request);
  const { facts } = server.engine;
  let [error, ranks] = [null, []];
  try {
    if (!server.networks) throw new BadInput("there is no bundled network: name one with --network");
    ({ ranks } = await server.networks.info(boardOf(position)));
  } catch (problem) {
    error = problem.message;
  }
  const shape = position.shape.join();
  const isNetworks = ({ player }) => facts.network_players.includes(player);
  return { opponents: facts.opponents.map((opponent, i) => ({ opponent, level: i + 1 }))
    .filter(({ opponent }) => !error || !isNetworks(opponent))
    .map(({ opponent: { key, group, player, simulations, seconds }, level }) => ({ key, level, group, player, simulations, seconds,
      strength: position.isGo ? facts.strengths.find(([of, board]) => of === key && board.join() === shape)?.[2] ?? null : null })),
  network_error: error, ranks: error ? [] : ranks };
}

function load(server, request) {
  let data;
  try {
    const text = requireField(request, "data", "str");
    data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput("'data' must be a file in base64");
  }
  if ("number" in request) return { game: readGame(server.engine, data,
    Math.min(Math.max(0, requireField(request, "number", "int")), data.length)) };
  const games = listGames(server.engine, data);
  return games.length === 1 ? { game: readGame(server.engine, data) } : { games };
}

const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

export const HANDLERS = {
  new: (server, request) => ({ game: gameOfRequest(server.engine, request) }),
  opponents,
  position: (server, request) => describePosition(server.position(request)),
  play: (server, request) => play(server.position(request), requireField(request, "move", "str")),
  policy: (server, request) => policy(server, server.position(request),
    "rank" in request ? requireField(request, "rank", "str") : null),
  planes: (server, request) => ({ packed: base64(encode([server.position(request)])) }),
  ownership: (server, request) => ownershipOf(server, server.position(request)),
  score: (server, request) => score(server.position(request),
    "dead" in request ? requireField(request, "dead", "list") : null, request.toggle),
  tsumego_frame: tsumegoFrame,
  load,
};

// ---- searches

function formatSearch(result, searchMoves) {
  const { position } = result, { shape } = position;
  const searched = new Set(distinct(result.moves).filter((info) => info.visits).slice(0, searchMoves).map((info) => info.point));
  return {
    win_rate: blackWinRate(result.winRate, position), lead: blackLead(result.scoreLead, position), visits: result.visits,
      is_full: result.isFull,
    simulations: result.simulations, seconds: rounded(result.seconds, 2),
    moves: result.moves.filter((info) => searched.has((info.symmetryOf ?? info).point)).map((info) => ({
      move: formatGtp(info.point, shape), win_rate: blackWinRate(info.winRate, position), lead: blackLead(info.scoreLead, position),
      visits: info.visits, prior: rounded(info.prior, 4), symmetry_of: info.symmetryOf && formatGtp(info.symmetryOf.point, shape),
      pv: info.pv.map((point) => formatGtp(point, shape)) })),
    ownership: result.ownership && percent(result.ownership) };
}

function formatThinking(result, position, searchMoves) {
  const thinking = formatSearch(result, searchMoves);
  if (result.position !== position) for (const values of [thinking, ...thinking.moves])
    Object.assign(values, { win_rate: null, lead: null });
  return thinking;
}

async function analyze(server, position, request, control) {
  const { engine } = server;
  const { handlers: { MAX_SECONDS, PROGRESS_INTERVAL }, opponents: { MAX_EDGES },
    positions: { SEARCH_MOVES } } = engine.facts.constants;
  const name = request.player ?? "mcts";
  if (!(name in engine.facts.searches)) throw new BadInput(`'player' must be 'mcts' or 'uct', not ${quoted(String(name)).slice(0, 20)}`);
  const limit = "simulations" in request ? requireField(request, "simulations", "int") : null;
  const seconds = "seconds" in request ? requireNumber(request, "seconds", MAX_SECONDS) : MAX_SECONDS;
  if ((limit !== null && !(limit > 0 && limit <= 2 ** 30)) || seconds <= 0) {
    throw new BadInput(`an analysis has at least one simulation and at most ${formatG(MAX_SECONDS)} seconds`);
  }
  const avoided = avoidedMoves(engine, position, request);
  const key = `${name} ${position.game}`;
  if (server.analysis?.key !== key) {
    server.analysis?.search.release();
    server.analysis = { key, search: new Search(engine, name, position.game, name === "mcts" ? server.networks : null,
      { max_edges: MAX_EDGES, early_stop: false }) };
  }
  if (avoided.allowedAt(position)?.length === 0) throw new BadInput("no legal move is allowed");
  const result = await server.analysis.search.search(position, { simulations: limit ?? Infinity, seconds, avoided,
    mayPass: maySearchPass(position, avoided, false),
    control: { shouldStop: control.shouldStop, interval: PROGRESS_INTERVAL,
      onProgress: (so) => control.onProgress({ search: formatSearch(so.ordered(), SEARCH_MOVES) }) } });
  return { search: formatSearch(result.ordered(), SEARCH_MOVES), done: true };
}

function avoidedMoves(engine, position, request) {
  const { MAX_DEPTH } = engine.kernels.constants, { shape } = position;
  const avoided = new AvoidedMoves();
  const depth = "depth" in request ? requireField(request, "depth", "int") : MAX_DEPTH;
  if (!(depth > 0 && depth <= MAX_DEPTH)) throw new BadInput(`'depth' must be from 1 to ${MAX_DEPTH}`);
  const allow = optionalPoints(request, "allow", shape), avoid = optionalPoints(request, "avoid", shape);
  for (const colour of [BLACK, WHITE]) {
    if (allow) avoided.allow(colour, allow, depth, shape);
    avoided.avoid(colour, avoid ?? [], depth);
  }
  const region = optionalPoints(request, "region", shape);
  if (region) avoided.outside(region, shape, MAX_DEPTH);
  return avoided;
}

async function genmove(server, position, request, control) {
  const { engine } = server, { facts } = engine;
  const { handlers: { MAX_TIME }, positions: { SEARCH_MOVES } } = facts.constants;
  let seconds = null;
  if ("clock" in request) {
    const given = requireField(request, "clock", "dict");
    const clock = Object.fromEntries(["main", "period", "periods", "increment"].map((name) =>
      [name, Math.max(0, requireNumber(given, name, MAX_TIME))]));
    seconds = secondsOf({ ...clock, periods: Math.floor(clock.periods) }, position);
  }
  const key = requireField(request, "opponent", "str");
  const opponent = facts.opponents.find((each) => each.key === key);
  if (!opponent) throw new BadInput(`unknown opponent ${quoted(key.slice(0, 20))} (known: ${facts.opponents.map((each) => each.key).join(", ")})`);
  const of = `${key} ${position.game}`;
  if (server.opponent?.of !== of) {
    server.opponent?.player.release();
    server.opponent = { of, player: makePlayer(engine, opponent, position.game, server.networks) };
  }
  const { player } = server.opponent;
  const point = await player.select(position, seconds, { shouldStop: control.shouldStop, interval: 0.2,
    onProgress: (so) => control.onProgress({ thinking: formatThinking(so, position, SEARCH_MOVES) }) });
  return { move: point === RESIGN ? "resign" : formatGtp(point, position.shape), done: true,
    ...(player.result ? { thinking: formatThinking(player.result, position, SEARCH_MOVES) } : {}) };
}

async function evaluate(server, position, request, control) {
  const { EVALUATION_BATCH } = server.engine.facts.constants.handlers;
  const line = position.positions(), winRates = [], leads = [];
  const network = await server.networks.forPosition(position, true);
  for (let at = 0; at < line.length && !await control.shouldStop(); at += EVALUATION_BATCH) {
    const batch = line.slice(at, at + EVALUATION_BATCH);
    const output = await network.evaluate(batch, { shouldStop: control.shouldStop });
    if (!output.values) return { win_rates: null, leads: null, done: true };
    batch.slice(0, output.n).forEach((each, k) => {
      leads.push(blackLead(output.scoreMean?.[k], each));
      winRates.push(each.isOver && !each.mayPass ? (1 + Math.sign(each.score())) / 2
        : blackWinRate((1 + output.values[k]) / 2, each));
    });
  }
  return { win_rates: winRates, leads: leads.includes(null) ? null : leads, done: true };
}

export const SEARCHES = { analyze, genmove, evaluate };

