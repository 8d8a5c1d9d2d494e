// Starts the page's worker in node, sends it messages, and prints what it sends back.
//   node worker_loop.mjs STATIC KERNELS < messages.json > answers.json
// A message may be a number instead: milliseconds to wait.  It ends when each message has had an answer.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pages, built] = process.argv.slice(2);
const answers = [];
globalThis.self = globalThis;
globalThis.MessageChannel = class {      // node's own lets no timer run before a thousand messages
  port1 = {};
  port2 = { postMessage: () => setImmediate(() => this.port1.onmessage()) };
};
globalThis.postMessage = (message) => answers.push(message);
globalThis.fetch = async (url) => new Response(readFileSync(url));
await import(pathToFileURL(join(pages, "worker/worker.js")));
const wait = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
await self.onmessage({ data: { start: { base: `${pathToFileURL(built)}/` } } });
const messages = JSON.parse(readFileSync(0));
for (const message of messages) {
  if (typeof message === "number") await wait(message);
  else self.onmessage({ data: message });
}
while (!messages.every(({ id }) => id === undefined || answers.some((answer) => answer.id === id))) await wait(20);
console.log(JSON.stringify(answers));
