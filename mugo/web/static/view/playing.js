// Who plays from a position, and autoplay.

import { colourName, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { canPlayFrom, opponentName } from "../queries.js";

export function renderPlaying(state) {
  const { game, human, opponent, autoplay, exercise } = state;
  const { played } = game;
  byId("play-from").disabled = byId("play-from-review").disabled = !canPlayFrom(state);
  byId("stop-playing").hidden = !human || !(played || game.root.properties !== undefined);
  byId("playing").hidden = !played;
  if (played) {
    const number = game.moveNumber(played.from);
    const who = human === "both" ? t(number ? "fromMoveBoth" : "fromStartBoth", { number })
      : t(number ? "fromMoveAgainst" : "fromStartAgainst",
        { number, colour: colourName(human), opponent: opponentName(state, opponent) });
    byId("playing").textContent = game.isInPlay() ? who : `${who} ${t("notInThatGame")}`;
  }
  const button = byId("autoplay");
  button.setAttribute("aria-pressed", String(Boolean(autoplay)));
  button.textContent = t(autoplay ? "stop" : "autoplay");
  button.disabled = Boolean(exercise) || !autoplay && !game.next();
}
