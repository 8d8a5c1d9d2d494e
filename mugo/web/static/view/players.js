// The players above the board: names, captures, and who is to play.

import { colourName, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { opponentName, shownName, thinkingNode } from "../queries.js";

export function renderPlayers(state) {
  const { game, opponent } = state;
  const { position } = game.node;
  for (const [colour, name] of [["B", "black"], ["W", "white"]]) {
    const side = byId(`player-${name}`);
    const player = shownName(state, colour);
    side.querySelector(".name").textContent = player === `MuGo ${opponent}` ? opponentName(state, opponent) : player;
    side.querySelector(".name").title = t("nameOfSide", { colour: colourName(colour), name: player });
    side.querySelector(".spinner").hidden = !(thinkingNode(state) === game.node && position?.to_play === colour);
    const captures = position?.captures?.[colour] ?? 0;
    side.querySelector(".captures").textContent = game.isGo ? t("captured", { count: captures })
      : t(game.start.exactly ? "winsWithExactly" : "winsWith", { count: game.start.k });
    if (game.isGo && colour === "W") {
      const komi = document.createElement("span");         // left out where a clock needs the place
      komi.className = "komi";
      komi.textContent = t("komiShort", { komi: game.start.komi });
      side.querySelector(".captures").append(komi);
    }
    side.classList.toggle("to-play", position?.to_play === colour && !position.is_over);
  }
}
