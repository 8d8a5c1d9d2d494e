// The state of the page, in one place.  Actions and effects change it, views read it.
//
//   server     whether it is connected, and what it said when it was: the names of planes
//   game       the Game on the board; human and opponent play it
//   isStart    whether the start is shown, in front of a game that plays itself;  lesson   the board to learn on, or null
//   at         all that belongs to the position on the board: a new one when the current node changes
//   region     the part of the board that analyses search, of core/region.js, until another game comes; null: all of it
//   settings   what a reload keeps
//   analyzing, lineAnalysis, segments    what the person wants to have searched
//   job        the search that the server runs for this page; effects/jobs.js starts and ends it
//
// change(f) changes it, and calls the subscribers once for all changes of the same task of the browser.

import { sentence } from "./core/texts.js";

const DEFAULTS = {
  mode: "play",                          // "play" or "review": which tab the panel shows
  estimates: false,                      // whether the board shows whose each point may become, and the panel who is ahead
  overlay: "none",
  peopleRank: "",                        // of the players whose moves the overlay "people" shows; "": one in the middle
  plane: 0,                              // number of the plane that the overlay "plane" shows
  searchPlayer: "mcts",                  // "mcts" or "uct": how positions are analysed
  hidesAnalysis: false,                  // whether the analysis is hidden while the person plays
  teaching: false,                       // whether mistakes of the person are offered back
  teachingLevel: 2,                      // the level of losses.LEVELS from which on they are
  moveNumbers: "0",                      // of which stones: "0", how many of the last, "all" or "branch"
  sound: true,
  losses: 0,                             // of games against MuGo, one after the other
  keys: true,                            // whether single letters and digits are keys of the page
  coordinates: true,
  language: "auto",                      // "auto" or the tag of one of texts.languageNames
  theme: "auto",                         // "auto", "light" or "dark"
  boardLook: "wood",                     // "wood", "paper" or "slate"
  stoneLook: "glass",                    // "glass" or "flat"
  depth: "quick",                        // of review.DEPTHS: how deep all moves are analysed
  name: "",                              // the person's in records
};

/** The values of the settings that say how the page looks. */
export const LOOKS = { theme: ["auto", "light", "dark"], boardLook: ["wood", "paper", "slate"], stoneLook: ["glass", "flat"] };

/** No points are picked: of core/region.js. */
export const NO_PICKS = new Map();

const newAt = (node) => ({
  node,
  message: null,                         // { text, isError } in the status line until the next action
  score: null,                           // the server's answer to "score" while the score is shown
  isScoreHidden: false,                  // whether the person has closed it
  overlay: null,                         // the overlay here, in place of that of the settings, even if these are hidden
  hover: null,                           // the vertex under the mouse or the cursor
  touched: null,                         // the vertex that a first touch has shown
  lineStart: null,                       // the first vertex of a line or an arrow
  isHintWanted: false,
  hinted: null,                          // the move of a hint that is shown; a second one shows why
  choosing: null,                        // "region" or "points": what a click chooses for the local search
  corner: null,                          // the first corner of the region that is being chosen
  pressed: null,                         // where a drag over the region has begun
  picks: NO_PICKS,                       // the points that the next move may not have, or only these; of core/region.js
  localSearch: null,                     // the search of the region and the picks; not an analysis of the position
  isPassAsked: false,                    // whether the key of a pass was pressed once
  mistake: null,                         // the next node, whose move is shown as a mistake here
  mistakeLine: "better",                 // which line is shown then: "better" or "played"
  plies: Infinity,                       // moves of it that the board shows
  requested: new Set(),                  // names of what the server has been asked for
  failed: new Set(),                     // names of what it could not answer, and kinds of jobs that have failed
});
let at = newAt(null);

export const state = {
  server: {
    isConnected: false,
    planes: {},                          // "go", "gomoku" -> names
    first: null,                         // the game that the page starts with
    compiled: 0,                         // the functions that the server's first start has compiled; 0 when it is ready
    loading: null,                       // { name, loaded, total }: bytes of the network that a static site loads
    newest: null,                        // { name, time } of the newest record of its folder
    isPaused: false,                     // whether no search runs, for the page of a static site is in the background
  },
  game: null,
  region: null,
  human: null,                           // "B", "W" or "both": the colours of the person; null for a game that is viewed
  opponent: null,                        // key of the opponent
  get at() {
    const node = this.game?.node ?? null;
    if (at.node !== node) at = newAt(node);
    return at;
  },
  settings: { ...DEFAULTS },
  analyzing: false,                      // whether the position on the board is analysed, whichever it is
  isStart: false,
  lesson: null,                          // of actions/start.js
  whose: undefined,                      // whose mistakes are shown: "B", "W", null for both; undefined: the person's
  lineAnalysis: null,                    // of actions/analysis.js, while all moves of a line are analysed
  exercise: null,                        // of core/exercises.js
  due: 0,                                // puzzles of all games that are due, counted
  oneThing: null,                        // the game whose largest mistake is to be shown, when it is known
  segments: [],                          // parts of lines, whose values the network has still to give
  files: [],                             // [name, File] of several files that were opened at once
  tool: null,                            // the selected tool (view/edit_tools.js) while the board is edited
  writing: null,                         // the node whose comment is being written
  autoplay: null,                        // the game that is stepped through
  storageProblem: null,                  // why games are not kept
  replaced: null,                        // for a while: the place in storage of the unsaved game that was on the board before
  job: null,                             // { kind, game, node, player, isWaiting }
};

/** Forget what belongs to the position on the board, as if it had just been reached. */
export function resetAt() { at = newAt(state.game?.node ?? null); }

const UNDO_SECONDS = 8;                  // in which the game before can be brought back
const subscribers = [];
const replaceHandlers = [];
let isScheduled = false;

/** Call a function after each change of the state, in the order of the subscriptions. */
export function subscribe(handler) { subscribers.push(handler); }

/** Change the state; returns what the function returns. */
export function change(f = () => {}) {
  const value = f(state);
  if (!isScheduled) {
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      for (const handler of subscribers) handler(state);
    });
  }
  return value;
}

/** Show a message in the status line until the next action. */
export function showMessage(text, isError = false) { change(() => { state.at.message = { text, isError }; }); }

/** What a rejected promise says, in the status line. */
export const showError = (error) => showMessage(sentence(error.message), true);

/** Call a function before another game takes the place of the current one. */
export function onReplace(handler) { replaceHandlers.push(handler); }

/** Another game takes the place of the current one. */
export function replaceGame(game, players) {
  const { game: before } = state;
  if (before) for (const handler of replaceHandlers) handler(state);
  const replaced = (before?.isUnsaved && before.savedAs?.id) || null;
  if (replaced) setTimeout(() => change(() => { if (state.replaced === replaced) state.replaced = null; }), 1000 * UNDO_SECONDS);
  Object.assign(state, { game, human: null, opponent: null, analyzing: false, lineAnalysis: null, segments: [], tool: null,
    whose: undefined, region: null, writing: null, exercise: null, isStart: false, lesson: null, oneThing: null, replaced,
    ...players });
  const planes = state.server.planes[game.isGo ? "go" : "gomoku"] ?? [];
  if (state.settings.plane >= planes.length) state.settings.plane = 0;
  if (!isAvailable(state.settings.overlay, game)) state.settings.overlay = "none";
  resetAt();
}

export const OVERLAYS = ["none", "policy", "search", "ownership", "ladders", "plane", "losses", "people"];      // in the order of their keys
const GO_ONLY = ["ownership", "ladders"];

/** Whether a game has an overlay; "people" only where the network takes who plays, as far as that is known. */
export const isAvailable = (name, game) => OVERLAYS.includes(name) && (game.isGo || !GO_ONLY.includes(name))
  && (name !== "people" || !game.opponents || game.ranks.length > 0);

/** Show the position before a node's move, as a mistake. */
export function showMistake(state, node) {
  state.game.goTo(node);                 // selects the line that it belongs to
  state.game.goTo(node.parent);
  resetAt();
  state.at.mistake = node;
}

/** Show a score. */
export function showScore({ at }, score) { Object.assign(at, { score, message: null, isScoreHidden: false }); }

/** The score that is shown is the result, if the game that is played has ended here. */
export function settleScore({ at: { score }, game, human }) {
  if (!score || !human || !game.node.position.is_over || !game.isInPlay() || game.result === score.result) return;
  if (!game.resultNode || game.resultNode === game.node) game.setResult(score.result, game.node);
}
