// Draws the whole page from the state.  A view reads the state, and changes and requests nothing.

import { language } from "../core/texts.js";
import { byId, translatePage } from "../dom.js";
import { state } from "../store.js";
import { renderAnalysis } from "./analysis.js";
import { renderBoard, renderFirstBoard } from "./position.js";
import { renderComment, renderEditing } from "./edit_tools.js";
import { renderExercises } from "./exercises.js";
import { renderLocal } from "./local.js";
import { renderMoves } from "./moves.js";
import { renderNavigation } from "./navigation.js";
import { renderClocks, renderPlayers } from "./players.js";
import { renderPlaying } from "./playing.js";
import { renderReview } from "./review.js";
import { renderLook, renderSettings } from "./settings.js";
import { renderStart } from "./start.js";
import { hear } from "./sound.js";
import { waitingText, renderLeadBar, renderStatus } from "./status.js";

const VIEWS = [renderAnalysis, renderBoard, renderPlayers, renderNavigation, renderStatus, renderReview, renderComment,
  renderEditing, renderPlaying, renderMoves, renderSettings, renderClocks, renderLeadBar, renderExercises, renderLocal, renderStart, hear];

export function render() {
  const { game, server, at } = state;
  if (document.documentElement.lang !== language) translatePage();
  renderLook(state);
  for (const element of document.querySelectorAll("main, header [data-game-needed]")) element.inert = !game;
  byId("offline").hidden = server.isConnected || !game;
  if (game) for (const view of VIEWS) view(state);
  else {
    if (server.first) renderFirstBoard(state);
    const text = at.message?.text ?? waitingText(state);
    if (text) byId("status").textContent = text;
    byId("status").classList.toggle("error", Boolean(at.message?.isError));
  }
}
