// The connection: what its messages mean for the page.

import { newGame, restoreGame } from "../actions/files.js";
import { openStart } from "../actions/start.js";
import { LEVELS } from "../core/losses.js";
import { sentence, t } from "../core/texts.js";
import { browserSettings, storedInTab } from "../effects/storage.js";
import { server } from "../server.js";
import { change, resetAt, showError, state } from "../store.js";
import { chosenTransport } from "../transport.js";
import { updateFields, updateOpponents } from "./new_game.js";

server.onHello = ({ planes, levels, game, has_folder: hasFolder }) => {
  Object.assign(LEVELS, levels);
  change(() => {
    const wasConnected = state.server.isConnected;
    Object.assign(state.server, { isConnected: true, planes, first: game });
    if (!wasConnected) resetAt();        // what has failed is requested again
  });
  updateFields();
  updateOpponents();
  if (!state.game) begin(game);
  if (!server.isWorker) followCompiling();
  if (hasFolder) followFolder();
};

server.onLoading = (network) => change(() => { state.server.loading = network; });

/** Show how many functions the server's first start has compiled, until it is ready. */
async function followCompiling() {
  try {
    const { functions } = await (await fetch("compiling")).json();
    change(() => { state.server.compiled = functions ?? 0; });
    if (functions !== null) setTimeout(followCompiling, 1000);
  } catch {                              // the connection is lost: the next one asks again
  }
}

const LOOK = 2000;                       // milliseconds between two looks at the folder of the server
let look = null;

/** Offer the newest record of the server's folder, while the page is seen. */
async function followFolder() {
  clearTimeout(look);
  look = setTimeout(followFolder, LOOK);
  if (document.hidden) return;
  try {
    const newest = await (await fetch("games")).json();
    const { newest: before } = state.server;
    if (newest.name !== before?.name || newest.time !== before?.time) change(() => { state.server.newest = newest.name ? newest : null; });
  } catch {                              // the connection is lost: it may come back
  }
}

/** Restore the game stored in this tab; without one, begin `first`, the server's game, or show the start. */
function begin(first) {
  try {
    restoreGame(storedInTab());
  } catch {
    if (!first) openStart();
    else newGame(first, { human: "B", opponent: null }).catch(showError);
  }
}

server.onLost = (reason) => {
  change(() => {
    Object.assign(state, { job: null, analyzing: false, lineAnalysis: null, segments: [] });
    Object.assign(state.server, { isConnected: false, loading: null });
    state.at.message = { text: state.game ? t("noAnswerKept") : sentence(reason || t("noAnswer")), isError: true };
  });
};

/** Connect, with the settings that the browser remembers. */
export function connect() {
  change(() => Object.assign(state.settings, browserSettings()));
  server.connect = chosenTransport();
  if (server.isWorker) {                 // it computes on this machine, perhaps on its battery
    document.addEventListener("visibilitychange", () => change(() => { state.server.isPaused = document.hidden; }));
  }
  server.open();
}
