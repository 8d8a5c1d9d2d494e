// The buttons of the game: which of them can be pressed now.

import { byId } from "../dom.js";
import { canResign } from "../queries.js";

export function renderActions(state) {
  const { game, human, at, files } = state;
  byId("files").hidden = !files.length;
  byId("resign").disabled = !canResign(state);
  byId("delete").disabled = !game.node.parent;
  byId("undo").disabled = !game.undoTarget(human);
  byId("redo").disabled = !game.redoTarget(human);
  byId("score").setAttribute("aria-pressed", String(Boolean(at.score)));
}
