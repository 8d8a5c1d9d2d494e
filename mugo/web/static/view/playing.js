// Who plays from a position, and autoplay.

import { COLOUR_NAMES } from "../core/texts.js";
import { byId } from "../dom.js";
import { canPlayFrom, opponentName } from "../queries.js";

export function renderPlaying(state) {
  const { game, human, opponent, autoplay } = state;
  const { played } = game;
  byId("play-from").disabled = byId("play-from-review").disabled = !canPlayFrom(state);
  byId("stop-playing").hidden = !human || !(played || game.root.properties !== undefined);
  byId("playing").hidden = !played;
  if (played) {
    const number = game.moveNumber(played.from);
    const who = human === "both" ? "you play both sides" : `you are ${COLOUR_NAMES[human]} against ${opponentName(state, opponent)}`;
    byId("playing").textContent = `From ${number ? `move ${number}` : "the start"} ${who}` +
      `${game.isInPlay() ? "." : "; this position is not in that game."}`;
  }
  const button = byId("autoplay");
  button.setAttribute("aria-pressed", String(Boolean(autoplay)));
  button.textContent = autoplay ? "Stop" : "Autoplay";
  button.disabled = !autoplay && !game.next();
}
