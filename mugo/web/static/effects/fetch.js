// What the board shows of the current position, if it is not there: its position, the opponents of the game, the data of the
// overlay, and the score of a game that has just ended.  Each is requested once, until another position is shown.

import { lineEnds, linesOf } from "../core/why.js";
import {
  explainedMistake, factNodes, hasNetwork, isEstimateShown, mistakesRank, overlayName, peopleRank, whyOf,
} from "../queries.js";
import { fetchOpponents, fetchPosition } from "../requests.js";
import { server } from "../server.js";
import { change, settleScore, showError, showScore, state } from "../store.js";

const COMMANDS = { policy: "policy", ladders: "planes", plane: "planes", ownership: "ownership" };       // of an overlay

export function fetchMissing() {
  const { game, at } = state;
  if (!state.server.isConnected || !game) return;
  const { node } = game;
  if (!node.position) {
    request(at, "position", () => fetchPosition(game, node));
    return;
  }
  if (!game.opponents) {
    request(at, "opponents", () => fetchOpponents(game));
    return;
  }
  const command = COMMANDS[overlayName(state)];
  const isKnown = node[command] || (command === "ownership" && node.analysis?.ownership);
  if (command && !isKnown && !(command === "policy" && !hasNetwork(state))) {
    request(at, command, async () => {
      const answer = await server.request(command, game.requestFields(node));
      change(() => { node[command] = answer; });
    });
  }
  if (missingRank(at, node)) {
    request(at, "people", async () => {                // one at a time: the slider passes many
      for (let rank; (rank = missingRank(at, node));) {
        const answer = await server.request("policy", { ...game.requestFields(node), rank });
        change(() => { (node.people ??= {})[rank] = answer; });
      }
    });
  }
  const withoutFacts = () => factNodes(state).find((each) => !each.position || !each.planes);
  if (withoutFacts()) {
    request(at, "facts", async () => {
      for (let each; (each = state.game === game && withoutFacts());) {
        await fetchPosition(game, each);
        const planes = await server.request("planes", game.requestFields(each));
        change(() => { each.planes = planes; });
      }
    });
  }
  const mistake = explainedMistake(state);
  if (mistake && !whyOf(mistake)) {
    request(at, "why", async () => {
      const [better, played] = await Promise.all(lineEnds(mistake).map((end) => server.request("ownership", game.requestFields(end))));
      change(() => { mistake.node.why = { lines: linesOf(mistake), better, played }; });
    });
  }
  if (isEstimateShown(state) && !node.ownership) {
    request(at, "ownership", async () => {
      const ownership = await server.request("ownership", game.requestFields(node));
      change(() => { node.ownership = ownership; });
    });
  }
  if (node.position.is_over && !node.children.length && !game.resultAt(node) && state.tool === null) showResult(at, game, node);
}

/** The rank whose moves are to be shown and are not known, or false. */
function missingRank(at, node) {
  const rank = state.at === at && (overlayName(state) === "people" ? peopleRank(state) : mistakesRank(state));
  return rank && !node.people?.[rank] && rank;
}

/** Show the result of a finished game: in Go the score, if it has one, in Gomoku the winner. */
function showResult(at, game, node) {
  if (node.position.result) {
    if (state.human && game.isInPlay() && !game.result) change(() => game.setResult(node.position.result, node));
  } else if (!at.score && !at.isScoreHidden) {
    request(at, "score", async () => {
      const score = await server.request("score", game.requestFields(node));
      if (state.at !== at || at.isScoreHidden) return;
      change(() => {
        showScore(state, score);
        settleScore(state);
      });
    });
  }
}

/** Request something once for a position. */
async function request(at, name, fetch) {
  if (at.requested.has(name) || at.failed.has(name)) return;
  at.requested.add(name);
  try {
    await fetch();
  } catch (error) {
    at.failed.add(name);
    if (state.at === at) showError(error);
  } finally {
    at.requested.delete(name);
  }
}
