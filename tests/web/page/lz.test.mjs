// The property LZ: the same vectors as for mugo/reviews/annotated_sgf.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatLz, parseLz } from "../../../mugo/web/static/core/lz.js";
import { parseSize } from "../../../mugo/web/static/core/coordinates.js";

const vectors = JSON.parse(readFileSync(new URL("../../data/lz_vectors.json", import.meta.url)));

for (const { name, size, to_play: toPlay, analysis, text, read_again: again } of vectors.written) {
  test(`written: ${name}`, () => {
    assert.equal(formatLz(analysis, toPlay), text);
    assert.deepEqual(parseLz(text, parseSize(size), toPlay), again);
  });
}
for (const { name, size, to_play: toPlay, analysis, text } of vectors.read) {
  test(`read: ${name}`, () => assert.deepEqual(parseLz(text, parseSize(size), toPlay), analysis));
}
