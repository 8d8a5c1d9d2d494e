// Animated GIFs (CompuServe, GIF89a): one palette for all frames, and of each frame only what has changed.
//
//   pixels     Uint32Array of RGBA in the order of ImageData, row by row
//   palette    makePalette(images) -> [[red, green, blue], ...], at most 255 colours; the 256th is transparent
//   indices    of a part of a frame, Uint8Array: changedPart(pixels, before, size, indexOf)
//
// A file is [header, frame, frame, ..., END], Uint8Arrays.

const COLOURS = 255;
const TRANSPARENT = 255;
const CODE_SIZE = 8;                     // bits of an index
const [CLEAR, END_OF_DATA] = [256, 257];
const MAX_CODES = 4096;

export const END = Uint8Array.of(0x3b);

const word = (value) => [value & 255, value >> 8];
const bytes = (...parts) => Uint8Array.from(parts.flat(Infinity));

/** The beginning of a file, which is repeated for ever. */
export function header({ width, height }, palette) {
  const colours = Array.from({ length: 256 }, (_, i) => palette[i] ?? [0, 0, 0]);
  const loop = [0x21, 0xff, 11, [..."NETSCAPE2.0"].map((letter) => letter.charCodeAt(0)), 3, 1, word(0), 0];
  return bytes([..."GIF89a"].map((letter) => letter.charCodeAt(0)), word(width), word(height), 0xf7, 0, 0, colours, loop);
}

/** One frame, which stays for this many seconds.  part: what changedPart returns. */
export function frame({ left, top, width, height, indices }, seconds) {
  const control = [0x21, 0xf9, 4, 0b101, word(Math.min(Math.round(100 * seconds), 65535)), TRANSPARENT, 0];      // it is left in place
  const start = bytes(control, 0x2c, [left, top, width, height].map(word), 0, CODE_SIZE);
  const data = compress(indices);
  const blocks = new Uint8Array(data.length + Math.ceil(data.length / 255) + 1);
  let length = 0;
  for (let i = 0; i < data.length; i += 255) {
    const block = data.subarray(i, i + 255);
    blocks[length] = block.length;
    blocks.set(block, length + 1);
    length += block.length + 1;
  }
  const written = new Uint8Array(start.length + length + 1);       // the last byte is an empty block
  written.set(start);
  written.set(blocks.subarray(0, length), start.length);
  return written;
}

/** LZW with codes of 9 to 12 bits, the lowest bit first. */
function compress(indices) {
  const data = new Uint8Array(2 * indices.length + 16);            // 12 bits each at most
  let [length, buffer, bits, codeBits, next] = [0, 0, 0, CODE_SIZE + 1, END_OF_DATA + 1];
  const codes = new Map();               // code of a sequence * 256 + the index after it -> code of both
  const write = (code) => {
    buffer |= code << bits;
    bits += codeBits;
    for (; bits >= 8; bits -= 8, buffer >>>= 8) data[length++] = buffer & 255;
  };
  write(CLEAR);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i++) {
    const key = prefix * 256 + indices[i];
    const code = codes.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    write(prefix);
    prefix = indices[i];
    if (next === MAX_CODES) {
      write(CLEAR);
      codes.clear();
      [codeBits, next] = [CODE_SIZE + 1, END_OF_DATA + 1];
      continue;
    }
    codes.set(key, next);
    if (next === 1 << codeBits) codeBits += 1;
    next += 1;
  }
  write(prefix);
  write(END_OF_DATA);
  if (bits) data[length++] = buffer & 255;
  return data.subarray(0, length);
}

/** { left, top, width, height, indices } of the smallest rectangle in which a frame differs from the previous one; what is
    the same there is transparent.  before: null for the first frame.  At least one point. */
export function changedPart(pixels, before, { width, height }, indexOf) {
  let [left, top, right, bottom] = before ? [width, height, -1, -1] : [0, 0, width - 1, height - 1];
  for (let i = 0; before && i < pixels.length; i++) {
    if (pixels[i] === before[i]) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  if (right < 0) [left, top, right, bottom] = [0, 0, 0, 0];
  const part = { left, top, width: right - left + 1, height: bottom - top + 1 };
  const indices = new Uint8Array(part.width * part.height);
  for (let y = 0, k = 0; y < part.height; y++) {
    for (let x = 0; x < part.width; x++, k++) {
      const i = (top + y) * width + left + x;
      indices[k] = before && pixels[i] === before[i] ? TRANSPARENT : indexOf(pixels[i]);
    }
  }
  return { ...part, indices };
}

// ---- colours, by median cut (P. Heckbert, Color image quantization for frame buffer display, 1982)

const channels = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
const keyOf = (pixel) => ((pixel >> 2) & 63) | ((pixel >> 4) & 0xfc0) | ((pixel >> 6) & 0x3f000);       // six bits of each channel

/** At most 255 colours for these images. */
export function makePalette(images) {
  const found = new Map();               // key -> { count, sum for each channel }
  for (const pixels of images) {
    for (const pixel of pixels) {
      const key = keyOf(pixel);
      let colour = found.get(key);
      if (!colour) found.set(key, colour = { count: 0, sum: [0, 0, 0] });
      colour.count += 1;
      channels(pixel).forEach((value, k) => { colour.sum[k] += value; });
    }
  }
  const colours = [...found.values()].map(({ count, sum }) => ({ count, mean: sum.map((value) => value / count) }));
  const boxes = [makeBox(colours)];
  while (boxes.length < COLOURS) {
    const widest = boxes.reduce((best, box, i) => (box.weight > boxes[best].weight ? i : best), 0);
    if (!boxes[widest].weight) break;
    boxes.splice(widest, 1, ...split(boxes[widest]));
  }
  return boxes.map(({ colours: of }) => {
    const count = of.reduce((sum, each) => sum + each.count, 0);
    return [0, 1, 2].map((k) => Math.round(of.reduce((sum, { mean, count: each }) => sum + mean[k] * each, 0) / count));
  });
}

/** Colours with the channel in which they differ most.  weight: rare colours also count, so that marks keep theirs. */
function makeBox(colours) {
  const ranges = [0, 1, 2].map((k) => {
    const values = colours.map(({ mean }) => mean[k]);
    return values.reduce((most, value) => Math.max(most, value), 0) - values.reduce((least, value) => Math.min(least, value), 255);
  });
  const channel = ranges.indexOf(Math.max(...ranges));
  const count = colours.reduce((sum, each) => sum + each.count, 0);
  return { colours, channel, weight: colours.length > 1 ? ranges[channel] * Math.sqrt(count) : 0 };
}

function split({ colours, channel }) {
  const sorted = [...colours].sort((a, b) => a.mean[channel] - b.mean[channel]);
  const half = sorted.reduce((sum, { count }) => sum + count, 0) / 2;
  let [at, sum] = [1, sorted[0].count];
  while (at < sorted.length - 1 && sum + sorted[at].count / 2 < half) sum += sorted[at++].count;
  return [makeBox(sorted.slice(0, at)), makeBox(sorted.slice(at))];
}

/** A function of a pixel: the index of the nearest colour.  It remembers what it has found. */
export function nearestIn(palette) {
  const known = new Map();
  return (pixel) => {
    const key = pixel & 0xffffff;
    if (known.has(key)) return known.get(key);
    const [red, green, blue] = channels(pixel);
    let [best, least] = [0, Infinity];
    palette.forEach(([r, g, b], i) => {
      const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
      if (distance < least) {
        best = i;
        least = distance;
      }
    });
    known.set(key, best);
    return best;
  };
}
