// The ways to who answers: the WebSocket of `mugo web`, or the worker of a static site.
//
//   open(receive, lose) -> the promise of { send(message), close() }
//
// receive is called with each message, lose with the end of the connection and a reason, or "".  Messages are JSON objects.

import { t } from "./core/texts.js";

/** The WebSocket next to the page. */
export function openSocket(receive, lose) {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket.onmessage = ({ data }) => receive(JSON.parse(data));
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve({ send: (message) => socket.send(JSON.stringify(message)), close: () => socket.close() });
    socket.onclose = ({ reason }) => {
      reject(new Error(reason || t("noAnswer")));
      lose(reason);
    };
  });
}

// A module of WebAssembly that is valid where its SIMD instructions are known: () -> v128.const 0, drop.
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 23, 1, 21, 0, 253, 12,
  ...Array(16).fill(0), 26, 11]);

/** A worker, which loads what it needs from the folder `base`. */
export const openWorker = (url, base) => async (receive, lose) => {
  if (!globalThis.WebAssembly?.validate(SIMD)) {
    lose(t("noSimd"));
    throw new Error(t("noSimd"));
  }
  const worker = new Worker(url, { type: "module" });
  worker.onmessage = ({ data }) => receive(data);
  const close = () => {
    worker.terminate();
    lose("");
  };
  worker.onerror = close;
  worker.postMessage({ start: { base } });
  return { send: (message) => worker.postMessage(message), close };
};

/** What index.html names: `<meta name="mugo-worker" content="URL of the worker" data-base="URL of its folder">`, or nothing. */
export function chosenTransport() {
  const named = document.querySelector("meta[name=mugo-worker]");
  const absolute = (url) => new URL(url, document.baseURI).href;
  return named ? openWorker(absolute(named.content), absolute(named.dataset.base)) : openSocket;
}
