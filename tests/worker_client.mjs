// Answers requests as the page's worker does, with a stand-in for networks.
//   node worker_client.mjs STATIC KERNELS < requests.json > answers.json
// Input: { randoms: [...], requests: [...] }; every search gets the same random numbers.  "stop_after" of a request: how often
// the search may ask before it is stopped; "milliseconds": what a position takes.  "losses" is what is left of virtual losses.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pages, built] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(pages, "worker", name)));
const [{ loadKernels }, { Engine }, { Server }, { BadInput }] = await Promise.all(["kernels.js", "position.js", "handlers.js", "errors.js"].map(load));
const json = (name) => JSON.parse(readFileSync(join(built, name)));
const { randoms, requests } = JSON.parse(readFileSync(0));

/** What tests/worker_requests.py has as StandIn, for all boards of Go and Gomoku. */
const standIn = {
  name: "stand-in", hasValue: true, hasOwnership: true, hasScore: true, takesPeople: false, equivariant: false, ranks: [], inputs: [],
  milliseconds: 0,
  async evaluate({ rows, cols, packed, features }) {
    await new Promise((resolve) => { setTimeout(resolve, this.milliseconds); });
    const points = rows * cols, bytes = packed.length / points;
    const weights = Array.from({ length: points + 1 }, (_, i) => (i * 7919) % 97 + 1), total = weights.reduce((a, b) => a + b);
    const ownership = Float32Array.from({ length: points }, (_, i) => (packed[i * bytes] & 1) - (packed[i * bytes] >> 1 & 1));
    const score = ownership.reduce((a, b) => a + b, features[0]);
    return { priors: Float32Array.from(weights, (weight) => weight / total), ownership, scoreMean: score, scoreStdev: 3,
      value: Math.min(Math.max(Math.fround(score) / 64, -1), 1) };
  },
};

function losses(tree) {
  const nodes = Array.from({ length: tree.record.n_nodes }, (_, v) => v);
  return nodes.reduce((sum, v) => sum + tree.node(v).virtual_losses + tree.edgesOf(v).reduce((of, edge) => of + edge.virtual_losses, 0), 0);
}

const engine = new Engine(await loadKernels(readFileSync(join(built, "kernels.wasm")), json("kernels.json")), json("facts.json"));
engine.randoms = (n) => randoms.slice(0, n).map(BigInt);
const server = new Server(engine, { open: async () => standIn, info: async () => standIn });
const answers = [];
for (const { stop_after: most = Infinity, milliseconds = 0, ...request } of requests) {
  let asked = 0;
  const control = { shouldStop: async () => { asked += 1; return asked > most; }, onProgress: () => {} };
  standIn.milliseconds = milliseconds;
  const started = performance.now();
  try {
    const answer = await server.answer(request, control);
    answers.push({ answer, seconds: (performance.now() - started) / 1000, losses: most < Infinity ? losses(server.analysis.search.tree) : 0 });
  } catch (error) {
    answers.push({ answer: { error: error.message.slice(0, 300) }, ...(error instanceof BadInput ? {} : { stack: error.stack }) });
  }
}
console.log(JSON.stringify(answers));
