// The server in a tab: a Worker that answers the page's requests (handlers.js).  The WebSocket has the same messages.
//
//   page -> worker    { start: { base } } once, then { id, command, ... }
//   worker -> page    { hello, ... } when it can answer, { id, ... }, { network: { name, loaded, total } } while one is loaded

import { BadInput } from "./errors.js";
import { SEARCHES, Server } from "./handlers.js";
import { loadKernels } from "./kernels.js";
import { networkFor, networkInfo } from "./network.js";
import { Engine } from "./position.js";

const SLICE = 20;                        // milliseconds between two looks at messages, while a search runs
const MAX_ERROR = 300;

/** Lets messages arrive; setTimeout would wait 4 ms. */
const channel = new MessageChannel();
const turns = [];
channel.port1.onmessage = () => turns.shift()();
const nextTurn = () => new Promise((resolve) => { turns.push(resolve); channel.port2.postMessage(null); });

let server, newest = null, last = Promise.resolve();      // the newest search, and the end of those before

self.onmessage = async ({ data }) => {
  if (data.start) {
    try {
      server = await start(data.start.base);
      postMessage(server.hello);
    } catch (error) {
      setTimeout(() => { throw error; });                // the page hears of it as an error of the worker
    }
  } else {
    respond(data);
  }
};

async function start(base) {
  const get = async (name) => {
    const response = await fetch(new URL(name, base));
    if (!response.ok) throw new Error(`${name}: ${response.status}`);
    return response;
  };
  const json = (name) => get(name).then((response) => response.json());
  const [module, description, facts] = await Promise.all([get("kernels.wasm").then(compiled), json("kernels.json"),
    json("facts.json")]);
  const engine = new Engine(await loadKernels(module, description), facts);
  const report = (name) => (loaded, total) => postMessage({ network: loaded < total ? { name, loaded, total } : null });
  return new Server(engine, {
    open: (board) => networkFor(base, board, engine.kernels, report(`${board.game} ${board.cols}x${board.rows}`)),
    info: (board) => networkInfo(base, board) });
}

/** The module of a response: browsers keep the machine code of one that they compile so, if its type is application/wasm. */
function compiled(response) {
  const bytes = response.clone();
  return WebAssembly.compileStreaming(response).catch(async () => WebAssembly.compile(await bytes.arrayBuffer()));
}

async function respond({ id, ...request }) {
  const send = (answer) => postMessage({ id, ...answer });
  try {
    if (request.command in SEARCHES) {
      await runSearch(request, send);
    } else if (request.command === "stop") {
      if (newest) newest.isCancelled = true;
      await last;
      send({ stopped: true });
    } else {
      send(await server.answer(request));
    }
  } catch (error) {
    if (!(error instanceof BadInput)) console.error(error);
    send({ error: String(error.message).slice(0, MAX_ERROR) });
  }
}

/** Cancel the search before, and run this one when that has ended.  Messages arrive between its slices. */
function runSearch(request, send) {
  if (newest) newest.isCancelled = true;
  const job = { isCancelled: false, lookedAt: performance.now() };
  newest = job;
  const shouldStop = async () => {
    if (performance.now() - job.lookedAt > SLICE) {
      await nextTurn();
      job.lookedAt = performance.now();
    }
    return job.isCancelled;
  };
  const run = last.then(async () => {
    const answer = job.isCancelled ? null
      : await server.answer(request, { shouldStop, onProgress: (progress) => { if (!job.isCancelled) send(progress); } });
    send(job.isCancelled ? { done: true, stopped: true } : answer);
  });
  last = run.catch(() => {});
  return run;
}
