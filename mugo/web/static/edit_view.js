// Draws what belongs to editing: the tools, the name and the annotations of a node, and what a tool would draw.

import { draw } from "./view/board.js";
import { parseVertex } from "./core/coordinates.js";
import { annotation } from "./core/edit_properties.js";
import { labelled, line, MARKS } from "./view/markup.js";
import { parseProperties, unescaped } from "./core/properties.js";
import { byId, COLOUR_NAMES, state } from "./state.js";

const ORIGIN = { row: 0, col: 0 };
const mark = (ident) => () => [MARKS[ident](ORIGIN, "on-empty")];
const stroke = (isArrow) => () => [line({ row: 0.3, col: -0.3 }, { row: -0.3, col: 0.3 }, isArrow)];
const label = (text) => () => labelled(ORIGIN, text, "on-empty");
const stone = (className) => () => [draw("circle", { cx: 0, cy: 0, r: 0.36, class: className })];
const POINT = "Click a point; another click removes it.";
const LINE = "Click the first point, then the second, or drag. The same again removes it.";
const STONE = "Click a point; another click removes the stone.";

/** The tools: name -> { title, key, icon, hint }.  Those of marks have the name of their property, those of stones their mark. */
export const TOOLS = {
  TR: { title: "triangle", key: "t", icon: mark("TR"), hint: POINT },
  SQ: { title: "square", key: "q", icon: mark("SQ"), hint: POINT },
  CR: { title: "circle", key: "c", icon: mark("CR"), hint: POINT },
  MA: { title: "cross", key: "x", icon: mark("MA"), hint: POINT },
  SL: { title: "selected", key: "f", icon: mark("SL"), hint: POINT },
  letter: { title: "letter", key: "l", icon: label("A"), hint: "Click a point for the next free letter; another click removes it." },
  number: { title: "number", key: "n", icon: label("1"), hint: "Click a point for the next free number; another click removes it." },
  text: { title: "text label", key: "g", icon: label("Ab"), hint: "Click a point, and write its label." },
  LN: { title: "line", key: "i", icon: stroke(false), hint: LINE },
  AR: { title: "arrow", key: "w", icon: stroke(true), hint: LINE },
  TB: { title: "Black’s territory", key: "y", icon: mark("TB"), hint: POINT },
  TW: { title: "White’s territory", key: "z", icon: mark("TW"), hint: POINT },
  DD: { title: "dimmed", key: "d", icon: stone("dim"), hint: "Click a point; it stays dimmed in the moves that follow." },
  X: { title: "black stone", key: "1", icon: stone("black"), hint: STONE },
  O: { title: "white stone", key: "2", icon: stone("white"), hint: STONE },
  ".": { title: "remove stones", key: "3", icon: stone("none"), hint: "Click a stone." },
};

const ANNOTATIONS = [
  { GB1: "Good for Black", GB2: "Very good for Black", GW1: "Good for White", GW2: "Very good for White", DM1: "Even",
    DM2: "Clearly even", UC1: "Unclear", UC2: "Very unclear" },
  { TE1: "Good move", TE2: "Very good move", IT: "Interesting move", DO: "Doubtful move", BM1: "Bad move", BM2: "Very bad move" },
];

/** Create the radio buttons of the tools and the options of the annotations. */
export function createTools() {
  byId("tools").replaceChildren(...Object.entries(TOOLS).map(([name, { title, key, icon }]) => {
    const input = Object.assign(document.createElement("input"), { type: "radio", name: "tool", value: name });
    input.setAttribute("aria-label", title);
    const tile = draw("svg", { viewBox: "-0.5 -0.5 1 1", class: "markup", "aria-hidden": "true" },
      draw("rect", { x: -0.5, y: -0.5, width: 1, height: 1, class: "tile" }), ...icon());
    const face = document.createElement("span");
    face.append(tile);
    const choice = Object.assign(document.createElement("label"), { title: `${title} (${key.toUpperCase()})` });
    choice.append(input, face);
    return choice;
  }));
  for (const [kind, id] of ["position-annotation", "move-annotation"].entries()) {
    byId(id).append(new Option("–", ""), ...Object.entries(ANNOTATIONS[kind]).map(([value, text]) => new Option(text, value)));
  }
}

/** Show the selected tool, and the name and the annotations of the current node. */
export function renderEditing() {
  const { game, tool } = state;
  const { node } = game;
  const isEditing = tool !== null;
  byId("edit").setAttribute("aria-pressed", String(isEditing));
  byId("edit-tools").hidden = byId("node-fields").hidden = !isEditing;
  document.querySelector("main").toggleAttribute("data-editing", isEditing);
  const properties = parseProperties(node.properties);
  const name = unescaped(properties.get("N")?.[0] ?? "");
  const annotations = [0, 1].map((kind) => annotation(node.properties, kind));
  const isHotspot = properties.has("HO");
  const figure = properties.has("FG") && `Figure ${unescaped(properties.get("FG")[0].replace(/^\s*\d*\s*:?/, ""))}`.trim();
  byId("node-info").textContent = [figure, name, ...annotations.map((value, kind) => ANNOTATIONS[kind][value]), isHotspot && "Hotspot"]
    .filter(Boolean).join(" · ");
  byId("node-info").hidden = isEditing;
  if (!isEditing) return;
  document.querySelector(`[name=tool][value="${tool}"]`).checked = true;
  byId("tool-hint").textContent = `${capital(TOOLS[tool].title)}. ${TOOLS[tool].hint}`;
  byId("edit-undo").disabled = !game.edits.done.length;
  byId("edit-redo").disabled = !game.edits.undone.length;
  const turn = node.position?.to_play ?? game.toPlay();
  byId("edit-turn").textContent = `${COLOUR_NAMES[turn]} to play`;
  byId("edit-turn").setAttribute("aria-label", `${COLOUR_NAMES[turn]} to play: change the side to move`);
  if (document.activeElement !== byId("node-name")) byId("node-name").value = name;
  byId("position-annotation").value = annotations[0];
  byId("move-annotation").value = annotations[1];
  byId("move-annotation").disabled = !node.move;
  byId("hotspot").checked = isHotspot;
}

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** What the tool would draw: { elements, stone }; stone: "X" or "O" on the point under the mouse or the cursor. */
export function toolPreview() {
  const { game, tool, hover, lineStart } = state;
  const at = hover && parseVertex(hover, game.size);
  const from = lineStart?.node === game.node && parseVertex(lineStart.vertex, game.size);
  const elements = [];
  if (from) {
    elements.push(draw("circle", { cx: from.col, cy: from.row, r: 0.2, class: "mark line" }));
    if (at && lineStart.vertex !== hover) elements.push(line(from, at, tool === "AR"));
  }
  const isFree = at && game.node.position?.stones[at.row * game.size.cols + at.col] !== tool;
  return { elements, stone: isFree && (tool === "X" || tool === "O") ? tool : null };
}
