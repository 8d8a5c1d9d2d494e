// Draws the whole page from the state.  A view reads the state, and changes and requests nothing.

import { language } from "../core/texts.js";
import { byId, translatePage } from "../dom.js";
import { state } from "../store.js";
import { renderActions } from "./actions.js";
import { renderAnalysis } from "./analysis.js";
import { renderBoard, renderFirstBoard } from "./position.js";
import { renderClocks } from "./clocks.js";
import { renderComment } from "./comment.js";
import { renderEditing } from "./edit_tools.js";
import { renderExercises } from "./exercises.js";
import { renderGameOver } from "./game_over.js";
import { renderLeadBar } from "./lead_bar.js";
import { renderLocal } from "./local.js";
import { renderLook } from "./look.js";
import { renderMoveList } from "./move_list.js";
import { renderNavigation } from "./navigation.js";
import { renderPlayers } from "./players.js";
import { renderPlaying } from "./playing.js";
import { renderReview } from "./review.js";
import { renderSettings } from "./settings.js";
import { hear } from "./sound.js";
import { compilingText, renderStatus } from "./status.js";
import { renderTree } from "./tree.js";

const VIEWS = [renderAnalysis, renderBoard, renderPlayers, renderNavigation, renderStatus, renderReview, renderTree, renderComment,
  renderActions, renderEditing, renderPlaying, renderMoveList, renderGameOver, renderSettings, renderClocks, renderLeadBar, renderExercises,
  renderLocal, hear];

export function render() {
  const { game, server, at } = state;
  if (document.documentElement.lang !== language) translatePage();
  renderLook(state);
  for (const element of document.querySelectorAll("main, header [data-game-needed]")) element.inert = !game;
  byId("offline").hidden = server.isConnected || !game;
  if (game) for (const view of VIEWS) view(state);
  else {
    if (server.first) renderFirstBoard(state);
    const text = at.message?.text ?? compilingText(state);
    if (text) byId("status").textContent = text;
    byId("status").classList.toggle("error", Boolean(at.message?.isError));
  }
}
