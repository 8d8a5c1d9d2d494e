// Requests that have one answer, which belongs to a node or to a game.

import { ofResult } from "./core/analysis.js";
import { isGameOver } from "./queries.js";
import { server } from "./server.js";
import { change, isAvailable } from "./store.js";

const positions = new WeakMap();         // node -> the promise of its position

/** Request the position of a node, unless it is there.  Where a game of Gomoku is over, its values follow from the result. */
export function fetchPosition(game, node) {
  if (node.position) return Promise.resolve();
  if (!positions.has(node)) positions.set(node, requestPosition(game, node).finally(() => positions.delete(node)));
  return positions.get(node);
}

async function requestPosition(game, node) {
  const { start } = game;
  const position = await server.request("position", game.requestFields(node));
  if (start !== game.start) return requestPosition(game, node);    // it was edited meanwhile
  return change(() => {
    node.position = position;
    if (isGameOver(node)) node.final = ofResult(position.result) ?? undefined;
  });
}

/** Request the opponents in a game, and whether a network plays it. */
export async function fetchOpponents(game) {
  const { opponents, network_error: networkError, ranks } = await server.request("opponents", game.requestFields(game.root));
  change(({ settings }) => {
    Object.assign(game, { opponents, networkError, ranks });
    if (!isAvailable(settings.overlay, game)) settings.overlay = "none";
  });
}
