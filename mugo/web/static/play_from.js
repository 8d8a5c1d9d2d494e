// Playing on from a position of any game: the dialog, the line that says who plays, and back to viewing.

import { addClockFields, clockSettings, startClock } from "./clock_view.js";
import { connection, byId, COLOUR_NAMES, state, storeState } from "./state.js";
import { defaultOpponent, listOpponents } from "./opponents.js";
import { showNode } from "./play.js";
import { render, showMessage } from "./render.js";

const form = document.querySelector("#play-from-dialog form");
addClockFields(form);
form.addEventListener("change", () => { form.opponent.disabled = form.colour.value === "both"; });

/** Whether a game can be played from the current node. */
const canPlayFrom = () => Boolean(state.game.node.position && !state.game.node.position.is_over && state.game.opponents);

/** Ask who plays from the current node. */
export function askPlayFrom() {
  if (!canPlayFrom()) return;
  const { game, opponent } = state;
  listOpponents(form.opponent, game.opponents, opponent);
  form.colour.value = ["B", "W"].includes(state.human) ? state.human : game.toPlay();
  form.opponent.disabled = false;
  byId("play-from-title").textContent = game.moveNumber() ? `Play from move ${game.moveNumber()}` : "Play from here";
  byId("play-from-dialog").showModal();
}

byId("play-from-dialog").addEventListener("close", () => {
  if (byId("play-from-dialog").returnValue !== "start") return;
  playFrom({ human: form.colour.value, opponent: form.opponent.value || null, clock: clockSettings(form) })
    .catch((error) => showMessage(error.message, true));
});

/** Play from the current node.  human: "B", "W" or "both"; clock: settings of GameClock, or null. */
export async function playFrom({ human, opponent, clock }) {
  const { game } = state;
  Object.assign(state, { genmoveNode: null, gameAnalysis: null, score: null, message: null, offer: null,
    tool: null, lineStart: null });
  await connection.request("stop");
  if (game !== state.game) return;
  game.playFrom();
  Object.assign(state, { human, opponent });
  if (!game.played) nameThePlayers(game);
  startClock(game, clock);
  await showNode();
}

/** The names of a game that begins at a root, unless it has some. */
function nameThePlayers(game) {
  for (const [colour, name] of [["B", "black"], ["W", "white"]]) game.info[name] ||= playerName(colour);
}

/** Who plays a colour in the game that is played from a node. */
function playerName(colour) {
  const { human, opponent } = state;
  if (human === "both") return COLOUR_NAMES[colour];
  return colour === human ? "You" : `MuGo ${opponent}`;
}

/** The name of a player next to the board: who plays now, or who played in the record. */
export function shownName(colour) {
  const { game } = state;
  if (game.played && game.isInPlay()) return playerName(colour);
  const rank = game.info[colour === "B" ? "black_rank" : "white_rank"];
  return (game.info[colour === "B" ? "black" : "white"] || COLOUR_NAMES[colour]) + (rank ? ` ${rank}` : "");
}

/** Back to viewing: MuGo plays no more, and new moves are variations.  The moves so far stay. */
export async function stopPlaying() {
  const { game } = state;
  Object.assign(state, { human: null, genmoveNode: null, offer: null, message: null });
  Object.assign(game, { played: null, clock: null, undone: null });
  render();
  await connection.request("stop").catch(() => {});
  storeState();
  await showNode();
}

export function renderPlaying() {
  const { game, human, opponent } = state;
  byId("play-from").disabled = !canPlayFrom();
  byId("stop-playing").hidden = !human || !(game.played || game.root.properties !== undefined);
  const { played } = game;
  byId("playing").hidden = !played;
  if (!played) return;
  const number = game.moveNumber(played.from);
  const who = human === "both" ? "you play both sides" : `you are ${COLOUR_NAMES[human]} against MuGo ${opponent}`;
  byId("playing").textContent = `From ${number ? `move ${number}` : "the start"} ${who}` +
    `${game.isInPlay() ? "." : "; this position is not in that game."}`;
}
