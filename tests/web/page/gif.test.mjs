// GIFs: what a slow decoder of its own reads is what was written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { END, changedPart, frame, header, makePalette, nearestIn } from "../../../mugo/web/static/core/gif.js";

/** Read a file by the specification: { width, height, delays, images }, each image as palette colours, row by row. */
function decode(file) {
  let at = 0;
  const take = (count) => file.slice(at, at += count);
  const word = () => { const [low, high] = take(2); return low + 256 * high; };
  const blocks = () => {
    const data = [];
    for (let [size] = take(1); size; [size] = take(1)) data.push(...take(size));
    return data;
  };
  assert.equal(String.fromCharCode(...take(6)), "GIF89a");
  const [width, height] = [word(), word()];
  const [flags] = take(3);
  const palette = Array.from({ length: 2 << (flags & 7) }, () => [...take(3)].join());
  const canvas = Array(width * height).fill(null);
  const [delays, images] = [[], []];
  let transparent = null;
  for (;;) {
    const [kind] = take(1);
    if (kind === 0x3b) break;
    if (kind === 0x21) {
      const [label] = take(1);
      const data = blocks();
      if (label !== 0xf9) continue;
      transparent = data[0] & 1 ? data[3] : null;
      delays.push(data[1] + 256 * data[2]);
      continue;
    }
    assert.equal(kind, 0x2c);
    const [left, top, columns, rows] = [word(), word(), word(), word()];
    assert.equal(take(1)[0], 0);
    const [codeSize] = take(1);
    const indices = unpack(blocks(), codeSize);
    assert.equal(indices.length, columns * rows);
    indices.forEach((index, i) => {
      if (index !== transparent) canvas[(top + Math.floor(i / columns)) * width + left + i % columns] = palette[index];
    });
    images.push([...canvas]);
  }
  assert.equal(at, file.length);
  return { width, height, delays, images };
}

/** LZW, with a table of whole sequences. */
function unpack(data, codeSize) {
  const bits = data.flatMap((byte) => [0, 1, 2, 3, 4, 5, 6, 7].map((k) => (byte >> k) & 1));
  const [clear, end] = [1 << codeSize, (1 << codeSize) + 1];
  let at = 0;
  let [table, width, previous] = [[], 0, null];
  const found = [];
  for (;;) {
    const isFirst = table.length === 0;
    if (isFirst) [table, width] = [[...Array(clear).keys()].map((i) => [i]).concat([[], []]), codeSize + 1];
    let code = 0;
    for (let k = 0; k < width; k++) code += bits[at++] << k;
    if (code === end) return found;
    if (code === clear) {
      [table, previous] = [[], null];
      continue;
    }
    const sequence = table[code] ?? [...previous, previous[0]];
    found.push(...sequence);
    if (previous && table.length < 4096) table.push([...previous, sequence[0]]);
    if (table.length === 1 << width && width < 12) width += 1;
    previous = sequence;
  }
}

const join = (parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const pixel = (red, green, blue) => (0xff000000 | blue << 16 | green << 8 | red) >>> 0;

/** Random numbers that are the same each time. */
function random(seed) {
  let value = seed;
  return (count) => {
    value = (Math.imul(value, 1664525) + 1013904223) >>> 0;
    return Math.floor(value / 2 ** 32 * count);
  };
}

for (const [seed, width, height, colours] of [[1, 1, 1, 1], [2, 7, 5, 3], [3, 64, 48, 2], [4, 200, 150, 250], [5, 300, 1, 255], [6, 150, 150, 9]]) {
  test(`${width}x${height} points in ${colours} colours`, () => {
    const next = random(seed);
    const all = Array.from({ length: colours }, (_, i) => pixel((i % 7) * 36, (Math.floor(i / 7) % 7) * 36, Math.floor(i / 49) * 36));
    const size = { width, height };
    const images = [0, 1, 2, 3].map(() => Uint32Array.from({ length: width * height }, () => all[next(colours)]));
    images[2].set(images[1]);                              // nothing has changed
    images[3].set(images[2]);
    images[3][next(width * height)] = all[next(colours)];
    const palette = makePalette(images);
    const indexOf = nearestIn(palette);
    const parts = images.map((each, i) => frame(changedPart(each, images[i - 1] ?? null, size, indexOf), 0.5 + i));
    const read = decode(join([header(size, palette), ...parts, END]));
    assert.deepEqual({ ...read, images: null }, { width, height, delays: [50, 150, 250, 350], images: null });
    read.images.forEach((image, i) =>
      assert.deepEqual(image, [...images[i]].map((value) => [value & 255, (value >> 8) & 255, (value >> 16) & 255].join())));
    assert.ok(parts[2].length < 40);
  });
}

test("of a frame only the rectangle that has changed is written", () => {
  const size = { width: 10, height: 8 };
  const before = new Uint32Array(80).fill(pixel(1, 2, 3));
  const after = before.slice();
  after[3 * 10 + 4] = after[5 * 10 + 6] = pixel(9, 9, 9);
  const { indices, ...part } = changedPart(after, before, size, () => 7);
  assert.deepEqual(part, { left: 4, top: 3, width: 3, height: 3 });
  assert.deepEqual([...indices], [7, 255, 255, 255, 255, 255, 255, 255, 7]);
});
