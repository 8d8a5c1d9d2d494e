// Starts the page's worker in node, sends it messages, and prints what it sends back.
//   node worker_loop.mjs STATIC KERNELS < messages.json > answers.json
// A message may be a number instead: milliseconds to wait.  The last answer that is waited for has the id "last".

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
for (const message of JSON.parse(readFileSync(0))) {
  if (typeof message === "number") await wait(message);
  else self.onmessage({ data: message });
}
while (!answers.some(({ id }) => id === "last")) await wait(20);
console.log(JSON.stringify(answers));
