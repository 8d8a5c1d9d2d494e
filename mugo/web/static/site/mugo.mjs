// MuGo in another page: rules, search and networks, computed there in a worker.
//
//   import { openMuGo } from "ADDRESS/mugo.mjs";
//   const mugo = await openMuGo();
//   const search = await mugo.analyze({ game: { size: 9, komi: 7 }, moves: ["B E5"], simulations: 200 });
//   search.moves[0].move                // "E3"
//
// A message is { id, command, game, moves, ... }, and its answers { id, ... }, as mugo/web/requests.py has them: a search
// answers with progress, and at last with `done`; `error` is one sentence.  A game of Go needs "size" and "komi", and can have
// "black", "white" (stones), "handicap", "rules"; one of Gomoku { name: "gomoku", size, k, exactly }.

export const version = "{version}";      // of MuGo

/** Start the worker.  onLoading: called with { name, loaded, total }, bytes, while a network is loaded, and with null. */
export async function openMuGo(onLoading = () => {}) {
  const address = new URL("{app}/static/worker/worker.js", import.meta.url).href;
  const worker = new Worker(workerOf(address), { type: "module" });
  const pending = new Map();             // id -> { resolve, reject, onProgress }
  let hello;
  const isReady = new Promise((resolve, reject) => {
    hello = resolve;
    worker.onerror = ({ message }) => reject(new Error(message || "MuGo could not be loaded"));
  });
  worker.onmessage = ({ data }) => {
    if (data.hello) hello(data);
    if (data.network !== undefined) onLoading(data.network);
    const { resolve, reject, onProgress } = pending.get(data.id) ?? {};
    if (resolve && !data.error && onProgress && !data.done) {
      onProgress(data);
      return;
    }
    pending.delete(data.id);
    if (data.error) reject?.(new Error(data.error));
    else resolve?.(data);
  };
  worker.postMessage({ start: { base: new URL("{app}/data/", import.meta.url).href } });
  const { planes: planeNames } = await isReady;

  let lastId = 0;
  const request = (command, fields = {}, onProgress = null) => new Promise((resolve, reject) => {
    lastId += 1;
    pending.set(lastId, { resolve, reject, onProgress });
    const game = fields.game && { black: [], white: [], handicap: 0, ...fields.game };
    worker.postMessage({ id: lastId, command, ...fields, ...(game && { game }) });
  });

  return {
    planeNames,                          // { go: [...], gomoku: [...] }
    request,                             // any command of the protocol

    /** A search: { win_rate, lead, visits, moves: [{ move, visits, win_rate, pv, ... }], ... }.  fields: game and moves;
        player, "mcts" or "uct"; limits simulations, seconds.  onProgress: called with the search so far.  Another search, or
        request("stop"), ends it. */
    analyze: (fields, onProgress = () => {}) => request("analyze", fields, ({ search }) => onProgress(search))
      .then(({ search }) => search),

    /** MuGo's move, "E3", "pass" or "resign".  fields: game and moves; opponent, "mcts-200" for instance. */
    play: (fields) => request("genmove", fields, () => {}).then(({ move }) => move),

    /** The input planes, packed: Uint8Array, plane k of a point is bit k % 8 of byte k / 8 of it.  fields: game and moves. */
    planes: (fields) => request("planes", fields).then(({ packed }) => Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))),

    close: () => worker.terminate(),
  };
}

/** A browser starts only workers of the page's own host: from another one, one that imports it. */
function workerOf(address) {
  if (new URL(address).origin === location.origin) return address;
  return URL.createObjectURL(new Blob([`import ${JSON.stringify(address)};`], { type: "text/javascript" }));
}
