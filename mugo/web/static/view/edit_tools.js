// Draws what belongs to a node and its editing: game information and comment, the tools, the name and the annotations, and
// what a tool would draw.  A comment that is being written stays with its node.

import { describeSettings } from "../core/clock.js";
import { parseVertex } from "../core/coordinates.js";
import { TOOLS, annotation } from "../core/edit_properties.js";
import { parseProperties, unescaped } from "../core/properties.js";
import { capital, colourName, joined, language, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { draw } from "./board.js";
import { MARKS, labelled, line } from "./markup.js";

const ORIGIN = { row: 0, col: 0 };
const mark = (ident) => () => [MARKS[ident](ORIGIN, "on-empty")];
const stroke = (isArrow) => () => [line({ row: 0.3, col: -0.3 }, { row: -0.3, col: 0.3 }, isArrow)];
const label = (text) => () => labelled(ORIGIN, text, "on-empty");
const stone = (className) => () => [draw("circle", { cx: 0, cy: 0, r: 0.36, class: className })];
const ICONS = {
  TR: mark("TR"), SQ: mark("SQ"), CR: mark("CR"), MA: mark("MA"), SL: mark("SL"), letter: label("A"),
  number: label("1"), text: label("Ab"), LN: stroke(false), AR: stroke(true), TB: mark("TB"), TW: mark("TW"),
  DD: stone("dim"), X: stone("black"), O: stone("white"), ".": stone("none"),
};

const ANNOTATIONS = [
  { GB1: "goodForBlack", GB2: "veryGoodForBlack", GW1: "goodForWhite", GW2: "veryGoodForWhite", DM1: "even", DM2: "clearlyEven",
    UC1: "unclear", UC2: "veryUnclear" },
  { TE1: "goodMove", TE2: "veryGoodMove", IT: "interestingMove", DO: "doubtfulMove", BM1: "badMove", BM2: "veryBadMove" },
];
let createdIn = null;                    // the language of the tools and the annotations

/** Create the radio buttons of the tools and the options of the annotations. */
function createTools() {
  createdIn = language;
  byId("tools").replaceChildren(...Object.entries(TOOLS).map(([name, { title, key }]) => {
    const input = Object.assign(document.createElement("input"), { type: "radio", name: "tool", value: name });
    Object.assign(input.dataset, { action: "selectTool", value: name, key });
    input.setAttribute("aria-label", t(title));
    const tile = draw("svg", { viewBox: "-0.5 -0.5 1 1", class: "markup", "aria-hidden": "true" },
      draw("rect", { x: -0.5, y: -0.5, width: 1, height: 1, class: "tile" }), ...ICONS[name]());
    const face = document.createElement("span");
    face.append(tile);
    const choice = Object.assign(document.createElement("label"), { title: t("toolAndKey", { tool: t(title), key: key.toUpperCase() }) });
    choice.append(input, face);
    return choice;
  }));
  for (const [kind, id] of ["position-annotation", "move-annotation"].entries()) {
    const options = Object.entries(ANNOTATIONS[kind]).map(([value, text]) => new Option(t(text), value));
    byId(id).replaceChildren(new Option("–", ""), ...options);
  }
}

/** Show the selected tool, and the name and the annotations of the current node. */
export function renderEditing({ game, tool }) {
  const { node } = game;
  const isEditing = tool !== null;
  if (createdIn !== language) createTools();
  byId("edit").setAttribute("aria-pressed", String(isEditing));
  byId("edit-tools").hidden = byId("node-fields").hidden = !isEditing;
  document.querySelector("main").toggleAttribute("data-editing", isEditing);
  const properties = parseProperties(node.properties);
  const name = unescaped(properties.get("N")?.[0] ?? "");
  const annotations = [0, 1].map((kind) => annotation(node.properties, kind));
  const isHotspot = properties.has("HO");
  const figure = properties.has("FG") && t("figure", { name: unescaped(properties.get("FG")[0].replace(/^\s*\d*\s*:?/, "")) }).trim();
  const named = annotations.map((value, kind) => value && t(ANNOTATIONS[kind][value]));
  byId("node-info").textContent = joined(figure, name, ...named, isHotspot && t("hotspot"));
  byId("node-info").hidden = isEditing;
  if (!isEditing) return;
  document.querySelector(`[name=tool][value="${tool}"]`).checked = true;
  byId("tool-hint").textContent = t("toolHint", { tool: capital(t(TOOLS[tool].title)), hint: t(TOOLS[tool].hint) });
  byId("edit-undo").disabled = !game.edits.done.length;
  byId("edit-redo").disabled = !game.edits.undone.length;
  const turn = node.position?.to_play ?? game.toPlay();
  byId("edit-turn").textContent = t("toPlay", { colour: colourName(turn) });
  byId("edit-turn").setAttribute("aria-label", t("changeTurnLabel", { colour: colourName(turn) }));
  if (document.activeElement !== byId("node-name")) byId("node-name").value = name;
  byId("position-annotation").value = annotations[0];
  byId("move-annotation").value = annotations[1];
  byId("move-annotation").disabled = !node.move;
  byId("hotspot").checked = isHotspot;
}

/** What the tool would draw: { elements, stone }; stone: "X" or "O" on the point under the mouse or the cursor. */
export function toolPreview({ game, tool, at: { hover, lineStart } }) {
  const at = hover && parseVertex(hover, game.size);
  const from = lineStart && parseVertex(lineStart, game.size);
  const elements = [];
  if (from) {
    elements.push(draw("circle", { cx: from.col, cy: from.row, r: 0.2, class: "mark line" }));
    if (at && lineStart !== hover) elements.push(line(from, at, tool === "AR"));
  }
  const isFree = at && game.node.position?.stones[at.row * game.size.cols + at.col] !== tool;
  return { elements, stone: isFree && (tool === "X" || tool === "O") ? tool : null };
}

export function renderComment({ game, writing }) {
  const result = game.info.result && t("resultOfGame", { result: game.info.result });
  const { event, place, date, rules } = game.info;
  byId("game-info").textContent = joined(event, place, date, rules, describeSettings(game.info), result);
  const field = byId("comment");
  const isElsewhere = writing && writing !== game.node;
  field.placeholder = field.ariaLabel = isElsewhere ? t("commentOnMove", { number: game.printedNumber(writing) }) : t("comment");
  if (!writing && document.activeElement === field) field.blur();
  const text = (writing ?? game.node).comment ?? "";
  if (!writing && field.value !== text) field.value = text;
}
