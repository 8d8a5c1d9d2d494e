// What follows from the state: pure functions of it.

import { isComplete, valuesOf } from "./core/analysis.js";
import { chainsOf, inAtari, placed } from "./core/chains.js";
import { captureAt, captures, dangerText } from "./core/coach.js";
import { indexOf } from "./core/coordinates.js";
import { asked, bestOf, criticalMoves, verdict } from "./core/exercises.js";
import { LEVELS, formatLossWithUnit, lossOf, lostByMoves, mistakes, unitOf } from "./core/losses.js";
import { DEPTHS, ownColour, rankIn } from "./core/review.js";
import { colourName, playerText, reasonText, t } from "./core/texts.js";
import { linesOf } from "./core/why.js";

/** What the page shows: "start", "lesson" or "game". */
export const screen = ({ isStart, lesson }) => (isStart ? "start" : lesson ? "lesson" : "game");

// ---- analysis and overlays

/** Whether a network plays the current game. */
export const hasNetwork = ({ game }) => !game.networkError;

/** The player that analyses the current game: "uct" where there is no network. */
export const searchPlayer = (state) => (hasNetwork(state) ? state.settings.searchPlayer : "uct");

/** Whether the analysis is hidden now: the person plays, and wants it so; or is asked for a move. */
export const isAnalysisHidden = ({ settings, human, game, exercise }) =>
  Boolean(exercise || (settings.hidesAnalysis && human && !game.result));

/** The overlay on the board; "why" explains a mistake, in the place of the moves of the search. */
export function overlayName(state) {
  const { at, settings } = state;
  if (at.overlay || isAnalysisHidden(state)) return at.overlay ?? "none";
  return ["none", "search"].includes(settings.overlay) && explainedMistake(state) ? "why" : settings.overlay;
}

/** The rank of the players whose moves the overlay "people" shows; undefined where the network knows none. */
export const peopleRank = ({ settings, game: { ranks } }) =>
  (ranks.includes(settings.peopleRank) ? settings.peopleRank : ranks[Math.floor(ranks.length / 2)]);

/** Whether analyses search a part of the board, or not all next moves. */
export const isRestricted = ({ region, at }) => Boolean(region || at.picks.size);

/** The search that the board shows: that of the region, where there is one; else the analysis of the position, else what
    the opponent thought about it. */
export function shownSearch(state) {
  const { game: { node }, at } = state;
  if (isRestricted(state)) return at.localSearch;
  return node.analysis?.moves.length ? node.analysis : node.thinking ?? null;
}

/** The search that the table of moves shows. */
export const listedSearch = (state) => (isRestricted(state) ? state.at.localSearch : state.game.node.analysis ?? null);

/** Whether the position can get a tsumego frame: no game is being played or edited. */
export const canFrame = (state) => state.game.isGo && canExercise(state) && /[XO]/.test(state.game.node.position?.stones ?? "");

/** { win_rate, lead } of the current position, from the result, the analysis or the network; null if none is known. */
export function currentValues({ game: { node } }) {
  return valuesOf(node) ?? (node.value == null ? null : { win_rate: node.value, lead: node.value_lead });
}

/** Whether the board shows the estimate: whose each point may become, and who is ahead. */
export const isEstimateShown = ({ settings, game, at }) => settings.estimates && settings.mode === "play" && game.isGo && !at.score;

/** Whether the position can be scored: not in the middle of a game that is played, where dead stones are not agreed on. */
export const canScore = ({ game, human, at }) => Boolean(game.isGo && (at.score || !human || !game.isInPlay() || game.node.position?.is_over));

/** The vertex that a touch has shown and another plays, or null. */
export const touchedVertex = ({ at }) => (at.score ? null : at.touched);

// ---- the review of a line

/** The person's colour in the game on the board; null if it is not known. */
export const personsColour = ({ game, human, settings }) => ownColour(game.info, human, settings.name);

/** The colour whose mistakes are shown: the one that was chosen, else the person's; null for both. */
export const reviewedColour = (state) => (state.whose === undefined ? personsColour(state) : state.whose);

/** Whether the list of moves has what they lost: not while the game is played. */
export const areLossesShown = (state) =>
  (state.settings.mode === "review" || !state.human || Boolean(state.game.result)) && !isAnalysisHidden(state);

/** A function that is called again only when its arguments have changed, so that a step costs no walk along the line. */
function remembered(f) {
  let [known, value] = [[], null];
  return (...keys) => {
    if (keys.some((key, i) => key !== known[i])) [known, value] = [keys, f(...keys)];
    return value;
  };
}

const lossesOf = remembered((revision, line) => lostByMoves(line));
const isPartSearched = remembered((revision, line, game, visits) => {
  const nodes = line.filter((node) => !node.final && !game.isCounted(node));
  const searched = nodes.filter(({ analysis }) => isComplete(analysis, visits)).length;
  return searched > 1 && searched < nodes.length;
});

/** What each move of the current line lost: of losses.lostByMoves. */
export const lineLosses = ({ game }) => lossesOf(game.revision, game.line());

/** Whether some positions of the current line, but not all, are searched as deep as the settings have it. */
export const isHalfAnalysed = ({ game, settings }) =>
  isPartSearched(game.revision, game.line(), game, DEPTHS[settings.depth]);

/** The mistake that the board shows before its move: of losses.lossOf; null if it shows none. */
export function mistakeOnBoard({ game, at }) {
  const { mistake } = at;
  return mistake && mistake.parent === game.node ? lossOf(game.node, mistake, unitOf(game.line())) : null;
}

/** A mistake on the board whose better line has other points than the played one; null for any other. */
export function explainedMistake(state) {
  const mistake = state.game.isGo ? mistakeOnBoard(state) : null;
  return mistake?.better && mistake.better !== mistake.vertex ? mistake : null;
}

/** What is known of why a mistake is one: { lines, better, played }; null until the server has answered. */
export const whyOf = (mistake) => (mistake.node.why?.lines === linesOf(mistake) ? mistake.node.why : null);

/** The rank of who made the mistake on the board, if the network knows the moves of such players; else null. */
export function mistakesRank(state) {
  const mistake = explainedMistake(state);
  const rank = mistake && rankIn(state.game.info[mistake.colour === "B" ? "black_rank" : "white_rank"]);
  return state.game.ranks.includes(rank) ? rank : null;
}

/** The nodes of the mistakes that are shown, in the order of the game. */
export const mistakeNodes = (state) => mistakes(lineLosses(state).moves, reviewedColour(state)).map(({ node }) => node)
  .sort((a, b) => a.index - b.index);

/** The mistake after or before the position on the board, in the order of the game; after the last one the first, and
    before the first one the last.  null without mistakes. */
export function nextMistake(state, direction) {
  const { game, at } = state;
  const index = at.mistake?.index ?? game.index();
  const nodes = mistakeNodes(state);
  const isThere = (node) => direction * (node.index - index) > 0;
  return (direction > 0 ? nodes.find(isThere) ?? nodes[0] : nodes.findLast(isThere) ?? nodes.at(-1)) ?? null;
}

// ---- exercises

/** Whether the person can begin an exercise on the game: none is being played. */
export const canExercise = ({ game, human, tool }) => !(human && !game.result && game.isInPlay()) && tool === null;

/** What the board shows of an exercise: { played, tried, isRight, best, line }; a vertex that is not shown is null. */
export function exerciseOnBoard({ game, exercise }) {
  const node = exercise && asked(exercise);
  if (!node || node.parent !== game.node) return null;
  const found = verdict(exercise);
  const isKnown = exercise.isShown || Boolean(found && (exercise.kind === "guess" || found.isBest || found.isRight));
  const best = isKnown ? bestOf(exercise) : null;
  const hasLine = exercise.isShown || exercise.kind === "puzzles";
  return { played: isKnown || exercise.kind === "puzzles" ? node.move.split(" ")[1] : null, tried: exercise.tried?.move.split(" ")[1] ?? null,
    isRight: found?.isRight ?? null, best: best?.move ?? null, line: (hasLine && best?.pv) || [] };
}

// ---- the game that is played

/** Whether a game of Gomoku is over; in Go a pass is always possible. */
export const isGameOver = (node) => Boolean(node.position?.result);

export const canResign = ({ game, human }) => Boolean(human && human !== "both" && !game.result && game.isInPlay());

/** Whether a game can be played from the current node. */
export const canPlayFrom = ({ game }) => Boolean(game.node.position && !game.node.position.is_over && game.opponents);

export const isMuGosColour = ({ game, human }) => Boolean(human && human !== "both" && game.toPlay() !== human);

/** Whether MuGo is to play in the current node, in a game that goes on. */
const isMuGosTurn = (state) => isMuGosColour(state) && !state.game.result && state.game.isInPlay();

/** Whether MuGo has to choose a move for the current node: it has none there yet. */
export function isMuGoToMove(state) {
  const { game, tool } = state;
  const { position, children } = game.node;
  return Boolean(isMuGosTurn(state) && tool === null && position && !position.is_over
    && !children.some((child) => child.move && game.isInPlay(child)));
}

/** The node for which MuGo is choosing a move, or null. */
export const thinkingNode = ({ job }) => (job?.kind === "genmove" ? job.node : null);

/** The name of an opponent for players: 'MuGo, level 9'. */
export function opponentName({ game }, key) {
  const level = game.opponents?.find((each) => each.key === key)?.level;
  return level ? t("opponentName", { level }) : `MuGo ${key}`;
}

/** Who plays a colour in the game that is played, as records have it: in English. */
export function playerName({ human, opponent, settings }, colour) {
  if (human === "both") return colour === "B" ? "Black" : "White";
  return colour === human ? settings.name || "You" : `MuGo ${opponent}`;
}

/** The name of a player in a record as people know it: 'MuGo, level 9' for 'MuGo mcts-200'. */
export function nameText(state, name) {
  const key = name.replace(/^MuGo /, "");
  return key !== name && state.game?.opponents?.some((each) => each.key === key) ? opponentName(state, key) : playerText(name);
}

/** The name of a player next to the board: who plays now, or who played in the record. */
export function shownName(state, colour) {
  const { game } = state;
  if (game.played && game.isInPlay()) return playerText(playerName(state, colour));
  const rank = game.info[colour === "B" ? "black_rank" : "white_rank"];
  const name = game.info[colour === "B" ? "black" : "white"];
  return (name ? playerText(name) : colourName(colour)) + (rank ? ` ${rank}` : "");
}

/** Why the person cannot play there now; null if the move may be sent. */
export function moveError(state, vertex) {
  const { game, human } = state;
  const { node } = game;
  const { position } = node;
  if (isMuGosTurn(state)) {
    if (offer(state)) return t("takeBackFirst");
    if (uncheckedNode(state)) return t("beingChecked");
    const isThinking = isMuGoToMove(state) || thinkingNode(state) === node;
    return t(isThinking ? "isThinkingPlays" : "playsGoTo", { colour: colourName(position.to_play) });
  }
  if (vertex === "pass" && !game.isGo) return t("noPassInGomoku");
  if ("XO".includes(position.stones[indexOf(vertex, game.size)] ?? "-")) return t("illegalMove", { vertex, reason: t("isOccupied") });
  const reason = position.illegal[vertex];
  if (reason) return isGameOver(node) ? t("gameIsOver") : t("illegalMove", { vertex, reason: reasonText(reason) });
  if (human && position.is_over && game.resultAt(node)) return t("gameIsOverUndo");
  return null;
}

/** Whose clock should run now: "B", "W" or null.  MuGo's runs while it searches. */
export function runningColour(state) {
  const { game, human, job, tool } = state;
  const { clock } = game;
  if (!clock || clock.isPaused || game.result || !human || clock.node.position?.is_over) return null;
  if (state.exercise || offer(state) || tool) return null;
  const colour = game.toPlay(clock.node);
  const isMuGos = human !== "both" && colour !== human;
  return !isMuGos || (thinkingNode(state) === clock.node && !job.isWaiting) ? colour : null;
}

// ---- teaching: a move that loses much is offered back before MuGo answers
//
//   position before --search--> lead        loss = lead before - lead after, of the side that moved
//   position after  --search--> lead        win rates, where no network with scores plays the board

/** Whether the person has just played the move of the current node, in a game with teaching. */
function isToBeChecked({ game, human, settings }) {
  const { node } = game;
  return Boolean(settings.teaching && human && node.move && node.parent && !node.isAccepted && !game.result && game.isInPlay()
    && game.isInPlay(node.parent) && (human === "both" || node.move[0] === human) && !game.reply() && !node.illegal
    && !node.stones && !node.position?.is_over);
}

/** The evaluation of a node by the player that checks, { win_rate, lead, moves }; { isMissing } if it could not be had. */
const evaluationOf = (state, node) => (node.evaluation?.player === searchPlayer(state) ? node.evaluation : null);

/** The node to be searched next before it is known whether the last move is offered back; null if that is known. */
export function uncheckedNode(state) {
  if (!isToBeChecked(state)) return null;
  const { node } = state.game;
  const before = evaluationOf(state, node.parent);
  if (!before || before.isMissing) return before ? null : node.parent;
  return evaluationOf(state, node) ? null : node;
}

/** The move of the current node, if it is offered back: { node, text }; else null. */
export function offer(state) {
  if (!isToBeChecked(state)) return null;
  const { node } = state.game;
  const [before, after] = [node.parent, node].map((each) => ({ ...each, analysis: evaluationOf(state, each) }));
  if (!before.analysis || !after.analysis || before.analysis.isMissing || after.analysis.isMissing) return null;
  const unit = [before, after].every(({ analysis }) => analysis.lead != null) ? "lead" : "win_rate";
  const { lost, vertex, visits, isSure } = lossOf(before, after, unit) ?? {};
  if (!isSure || lost < LEVELS[unit][state.settings.teachingLevel - 1]) return null;
  const loss = formatLossWithUnit(lost, unit, visits);
  return { node, text: [danger(state, node), t("moveLost", { vertex, loss }), t("takeItBackQuestion")].filter(Boolean).join(" ") };
}

/** What the board shows that the move of a node leaves to the other side: a sentence, or "". */
export const danger = ({ game, server }, node) => (game.isGo ? dangerText(node, server.planes.go, game.size) : "");

/** Whether the coach looks at the next move, which is the person's. */
const isCoached = ({ game, human, settings }) => Boolean(settings.teaching && human && game.isGo && game.node.position && !game.node.position.is_over
  && !game.result && game.isInPlay() && (human === "both" || game.toPlay() === human));

/** The chain that a move on the point under the mouse, the cursor or a finger would leave with one liberty, and that could be
    captured there; null for none. */
export function selfAtari(state) {
  const { game: { node, size }, at: { hover: vertex } } = state;
  if (!vertex || !isCoached(state) || moveError(state, vertex)) return null;
  const { to_play: own, stones } = node.position;
  const after = placed(stones, `${own} ${vertex}`, size);
  const chain = chainsOf(after, size).find(({ points }) => points.includes(vertex));
  const [liberty, ...others] = chain?.liberties ?? [];
  const isKo = () => placed(after, `${own === "B" ? "W" : "B"} ${liberty}`, size) === stones;
  return !liberty || others.length || isKo() ? null : chain;
}

/** Of what the coach warns before a move: one liberty of a stone that a click would play, or stones that the other side could
    not capture when the person moved last.  "" for nothing. */
export function warning(state) {
  const { game } = state;
  if (!isCoached(state)) return "";
  const chain = selfAtari(state);
  if (chain) return t("coachOneLiberty", { vertex: state.at.hover, count: chain.points.length });
  if (touchedVertex(state)) return "";
  const { to_play: own, stones } = game.node.position;
  const colour = own === "B" ? "W" : "B";
  const before = game.node.parent?.parent?.position?.stones;
  const capture = captures(stones, colour, game.size).find(({ vertex: at, count }) => !before || captureAt(before, colour, at, game.size) < count);
  return capture ? t("coachThreatens", { ...capture, colour: colourName(colour) }) : "";
}

const decided = remembered((revision, line, human) => criticalMoves(line, human));

/** Where the person lost most in the game that has ended: of exercises.criticalMoves. */
export const decidingMoves = ({ game, human }) =>
  (game.isGo && game.result && ["B", "W"].includes(human) ? decided(game.revision, game.line(), human) : []);

/** The nodes whose stones and planes the sentences on mistakes need. */
export function factNodes(state) {
  const { game, exercise } = state;
  if (!game.isGo) return [];
  const nodes = [offer(state)?.node, explainedMistake(state)?.node, ...decidingMoves(state).map(({ node }) => node)].filter(Boolean);
  return [...nodes.flatMap((node) => [node.parent, node]), exercise && asked(exercise)?.parent].filter(Boolean);
}

/** The stones of the person that can be captured, while mistakes are offered back. */
export function stonesInAtari({ game, human, settings, at }) {
  const { position } = game.node;
  if (!settings.teaching || !human || !game.isGo || !position || at.score || game.result) return [];
  return inAtari(position.stones, game.size).flatMap(({ colour, points }) => (human === "both" || colour === human ? points : []));
}

/** Whether nothing is left to gain, by MuGo's pass or by the search of the position: the person may pass too. */
export function isClosed({ game, human }) {
  const { node } = game;
  if (!game.isGo || !human || game.result || !game.isInPlay() || node.position?.is_over) return false;
  if (human !== "both" && game.toPlay() !== human) return false;
  return Boolean((human !== "both" && node.move?.endsWith(" pass")) || node.evaluation?.moves?.[0]?.move === "pass");
}

/** How the game that has ended ended for the person: 1 won, -1 lost, 0 neither. */
export function outcome({ game: { result }, human }) {
  if (!["B", "W"].includes(human) || !["B", "W"].includes(result?.[0])) return 0;
  return result[0] === human ? 1 : -1;
}

/** How many steps stronger MuGo plays in the next game: after a game that was won one, after two that were lost one less. */
export function nextStep(state) {
  const won = outcome(state);
  return won < 0 && !state.settings.losses ? 0 : won;
}

/** Whether the current position is to be searched while the person thinks, so that the check after the move is quick. */
export function isToBePrepared(state) {
  const { game, human, settings } = state;
  return Boolean(settings.teaching && human && !game.result && game.isInPlay() && !game.node.position?.is_over
    && (human === "both" || game.toPlay() === human) && !evaluationOf(state, game.node));
}
