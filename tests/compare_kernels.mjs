// Calls kernels in WebAssembly with arguments that Python recorded, and counts the bytes that differ afterwards.
//   node compare_kernels.mjs STATIC KERNELS CALLS      a folder of the page, one of kernels.wasm, one of calls.json and calls.bin

import { readFileSync } from "node:fs";
import { join } from "node:path";

const [pages, built, calls] = process.argv.slice(2);
const { KernelArray, loadKernels } = await import(join(pages, "worker/kernels.js"));
const kernels = await loadKernels(readFileSync(join(built, "kernels.wasm")), JSON.parse(readFileSync(join(built, "kernels.json"))));
const bytes = readFileSync(join(calls, "calls.bin"));

/** The argument in the kernels' memory.  written: gets what has to be compared. */
function put(given, written) {
  if (Array.isArray(given)) return given.map((each) => put(each, written));
  if (given === null || typeof given !== "object") return given;
  if (given.address) return kernels.addresses[given.address];
  const [before, after, mask] = ["before", "after", "mask"].map((name) => bytes.subarray(...given[name]));
  const at = kernels.take(before.length);
  kernels.view("uint8").set(before, at);
  for (const [offset, name] of given.addresses) kernels.view("int64")[(at + offset) / 8] = BigInt(kernels.addresses[name]);
  written.push({ at, after, mask, addresses: given.addresses });
  if (given.record) return { at };
  const array = new KernelArray(kernels, given.item, given.shape, at);
  return array;
}

const results = JSON.parse(readFileSync(join(calls, "calls.json"))).map(({ name, args, result }) => {
  const written = [];
  const given = args.map((each) => put(each, written));
  const started = performance.now();
  const got = kernels.call(name, ...given);
  const seconds = (performance.now() - started) / 1000;
  let [compared, different] = [0, 0];
  for (const { at, after, mask, addresses } of written) {
    const mine = kernels.view("uint8").subarray(at, at + after.length);
    for (const [offset] of addresses) mine.set(after.subarray(offset, offset + 8), offset);
    compared += after.length;
    after.forEach((byte, i) => { different += byte !== mine[i] && mask[i % mask.length]; });
  }
  const equal = JSON.stringify(got?.length === undefined || typeof got === "bigint" ? Number(got ?? 0) : [...got]) === JSON.stringify(result);
  return { name, compared, different, result: equal, seconds };
});
console.log(JSON.stringify(results));
