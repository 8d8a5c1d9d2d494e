// Pictures of the board as it looks on the page: its SVG with the rules of the style sheet, on the board's background.

import { END, changedPart, frame, header, makePalette, nearestIn } from "../core/gif.js";
import { moveNumbers } from "../core/move_numbers.js";
import { byId } from "../dom.js";
import { Board, draw } from "./board.js";
import { markup } from "./markup.js";
import { board } from "./position.js";

const LAST_SECONDS = 2;                  // more of the last frame

/** The rules of the page that are of the board, without those of narrow windows. */
function boardRules() {
  const { cssRules } = [...document.styleSheets].find(({ href }) => href?.endsWith("/board.css"));
  return [...cssRules].filter(({ selectorText }) => selectorText).map(({ cssText }) => cssText).join("\n");
}

/** { width, height } in pixels of a picture of a board, whose longer side is given. */
function sizeOf(svg, longest) {
  const [width, height] = svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
  const scale = longest / Math.max(width, height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

async function loadImage(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  return image;
}

/** A function that draws the SVG of a board on a canvas of its size, whose context it returns. */
async function painter(svg, longest) {
  const size = sizeOf(svg, longest);
  const context = Object.assign(document.createElement("canvas"), size).getContext("2d", { willReadFrequently: true });
  const background = Object.assign(document.createElement("canvas"), size);
  await drawBackground(background.getContext("2d"), size);
  const style = boardRules();
  const paint = async (shown) => {
    const url = URL.createObjectURL(new Blob([svgText(shown, size, style)], { type: "image/svg+xml" }));
    try {
      const image = await loadImage(url);
      context.drawImage(background, 0, 0);
      context.drawImage(image, 0, 0, size.width, size.height);
    } finally {
      URL.revokeObjectURL(url);
    }
    return context;
  };
  return { paint, size };
}

/** The background of the board: an image, a gradient of two colours, or one colour. */
async function drawBackground(context, { width, height }) {
  const { backgroundImage, backgroundColor } = getComputedStyle(byId("board-frame"));
  const url = /^url\("(.*)"\)$/.exec(backgroundImage)?.[1];
  const colours = backgroundImage.match(/rgba?\([^)]*\)/g) ?? [backgroundColor];
  const gradient = context.createLinearGradient(0.2 * width, 0, 0.8 * width, height);
  colours.forEach((colour, i) => gradient.addColorStop(i / Math.max(1, colours.length - 1), colour));
  context.fillStyle = gradient;
  context.fillRect(0, 0, width, height);
  const side = Math.max(width, height);
  if (url) context.drawImage(await loadImage(url), (width - side) / 2, (height - side) / 2, side, side);
}

/** An SVG without what belongs to the mouse, the keyboard and the next moves, with the page's rules in it. */
function svgText(svg, { width, height }, style) {
  const copy = svg.cloneNode(true);
  copy.querySelectorAll(".cursor, .next, .ghosts:not(:has(text))").forEach((layer) => layer.replaceChildren());
  copy.removeAttribute("style");
  const { boardLook, stoneLook } = document.documentElement.dataset;
  for (const [name, value] of Object.entries({ width, height, "data-board-look": boardLook, "data-stone-look": stoneLook })) {
    copy.setAttribute(name, value);
  }
  copy.prepend(draw("style", {}, style));
  return new XMLSerializer().serializeToString(copy);
}

/** The board on the page as a PNG, a Blob; longest: pixels of its longer side. */
export async function boardPicture(longest) {
  const { paint } = await painter(board.svg, longest);
  const { canvas } = await paint(board.svg);
  return new Promise((resolve) => { canvas.toBlob(resolve); });
}

/** The positions of some nodes of the line as a GIF, a Blob; null if onProgress, called with the number of frames, returns false. */
export async function animation({ game, settings }, nodes, { longest, seconds }, onProgress) {
  const shown = new Board(draw("svg", { id: "board" }));
  shown.drawEmpty(game.size, settings.coordinates);
  const { paint, size } = await painter(shown.svg, longest);
  const pixelsOf = async (node) => {
    const numbers = settings.moveNumbers === "0" ? new Map() : moveNumbers(game, settings.moveNumbers, node);
    shown.show(node.position, { markup: markup(node, game.size, node.position.stones), numbers });
    const context = await paint(shown.svg);
    return new Uint32Array(context.getImageData(0, 0, size.width, size.height).data.buffer);
  };
  const samples = [];
  for (const node of new Set([nodes[0], nodes[nodes.length >> 1], nodes.at(-1)])) samples.push(await pixelsOf(node));
  const palette = makePalette(samples);
  const indexOf = nearestIn(palette);
  const parts = [header(size, palette)];
  let before = null;
  for (const [i, node] of nodes.entries()) {
    if (!onProgress(i)) return null;
    const pixels = await pixelsOf(node);
    const isLast = i === nodes.length - 1;
    parts.push(frame(changedPart(pixels, before, size, indexOf), seconds + (isLast ? LAST_SECONDS : 0)));
    before = pixels;
  }
  return new Blob([...parts, END], { type: "image/gif" });
}
