// The page's beginning: effects and views follow the store, and the controls call the actions.
//
//   texts/     the words of the page, one file for each language; language.js writes them into index.html before this
//   core/      games, SGF, clocks, losses, ...: no document, no server
//   store.js   the state of the page, change() and subscribe();  queries.js   what follows from it
//   transport.js, server.js, requests.js   the connection;  kept.js   the games that are kept;  ask.js, dom.js   questions, elements
//   actions/   what a person can do: they change the store
//   effects/   what follows by itself: the server's job, what the board needs, the clock, the storage
//   view/      draws the page from the store
//   controls/  events call actions: actions.js those of buttons, fields and keys; board.js, files.js, dialogs
//
// Each imports only what stands above it here.

import { showWorst } from "./actions/game_over.js";
import "./controls/actions.js";
import "./controls/board.js";
import "./controls/files.js";
import { recall } from "./controls/new_game.js";
import { connect } from "./controls/server.js";
import { fetchMissing } from "./effects/fetch.js";
import { runClock, runJobs } from "./effects/jobs.js";
import { storeAtTheEnd, storeChanges } from "./effects/storage.js";
import { kept } from "./kept.js";
import { server } from "./server.js";
import { change, state, subscribe } from "./store.js";
import { render } from "./view/page.js";

for (const effect of [runJobs, fetchMissing, runClock, showWorst]) subscribe(effect);
subscribe(render);
subscribe(storeChanges);
storeAtTheEnd();
recall();
kept.open();
connect();

window.mugo = { state, change, server, render, kept };         // for the console, and for tests
