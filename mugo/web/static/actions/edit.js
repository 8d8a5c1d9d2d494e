// Editing: marks, setup stones, the side to move, and the name, annotations and game information of nodes.
//
//   useTool, setTurn, ...  -->  carryOut(step)  -->  Game.edits, for undo and redo
//
// A step has the properties of nodes before and after it.  Marks need no server.  After a step that changes positions
// the server reads the game again: what it refuses is taken back, with its reason in the status line.

import { askLabel } from "../ask.js";
import { timeLeft } from "../core/clock.js";
import { formatPoint, parseVertex } from "../core/coordinates.js";
import {
  TOOLS, labelAt, nextLabel, setAnnotation, setLabel, setStone, toggleDimmed, toggleLine, toggleMark,
} from "../core/edit_properties.js";
import { mainLine, newNode } from "../core/game.js";
import { marksOf } from "../core/marks.js";
import { dimmed, escaped, formatProperties, parseProperties, unescaped, withValues } from "../core/properties.js";
import { zoneOf } from "../core/region.js";
import { INFO, formatGame, newProperties } from "../core/sgf.js";
import { capital, colourName, sentence, t } from "../core/texts.js";
import { canFrame } from "../queries.js";
import { fetchPosition } from "../requests.js";
import { server } from "../server.js";
import { change, resetAt, showMessage, state } from "../store.js";
import { evaluateLine } from "./analysis.js";
import { cancelGenmove } from "./navigate.js";

const STONES = { X: "blackStone", O: "whiteStone", ".": "empty" };
const FIELDS = ["properties", "analysis", "final"];      // of a node, that a step changes
const UNKNOWN = { analysis: undefined, final: undefined };
let lastTool = "TR";
let pending = Promise.resolve();         // steps wait for those before them

/** The rules refuse the stones of a node. */
class SetupError extends Error {}

/** The SGF text of a node's properties, without its comment where it is not from a file. */
function propertiesOf(game, node) {
  if (!node.parent && node.properties === undefined) game.writtenInfo = { ...game.info };
  return node.properties ?? newProperties({ ...game.start, info: game.info }, { ...node, ...timeLeft(node) }, !node.parent);
}

/** Begin or end the editing; name: the name of a tool. */
export function toggleEditing(name = lastTool) {
  if (!state.game) return;
  const isOn = state.tool === null;
  change(() => {
    state.tool = isOn ? name : null;
    if (isOn) state.settings.mode = "review";      // its panel has the tools
    resetAt();
  });
  if (!isOn) {                           // MuGo may be to move; positions that have changed have no values yet
    if (!state.human && state.game.line().some(({ value }) => value === undefined)) evaluateLine();
    return;
  }
  cancelGenmove();
  selectTool(name);
}

export function selectTool(name) {
  change(() => {
    state.tool = name;
    state.at.lineStart = null;
  });
  lastTool = name;
  showMessage(t("editing", { tool: t(TOOLS[name].title), hint: t(TOOLS[name].hint) }));
}

/** Run one edit after the others. */
function enqueue(edit) {
  pending = pending.then(edit).catch((error) => showMessage(sentence(error.message), true));
  return pending;
}

/** Carry out a step: changes, { node, before, after } each, whose fields are null where the node is not in the tree. */
async function carryOut(step, isUndo = false) {
  const { game, changes, changesPositions } = step;
  const put = (isBack) => {
    for (const { node, before, after } of changes) putNode(game, node, isBack ? before : after);
    if (step.info) Object.assign(game, isBack ? step.info.before : step.info.after);
  };
  put(isUndo);
  const { node } = changes[0];
  const isThere = !node.parent || node.parent.children.includes(node);
  try {
    if (changesPositions && isThere) await reread(step);
  } catch (error) {
    put(!isUndo);
    throw error;
  }
  change(() => {
    game.changes += 1;
    game.touch();
    if (game !== state.game) return;
    if (!step.info) game.goTo(isThere ? node : node.parent);
    state.at.message = null;
    if (changesPositions) resetAt();
  });
  if (changesPositions && game === state.game) await fetchPosition(game, game.node);
}

function putNode(game, node, fields) {
  const siblings = node.parent?.children ?? [node];
  if (fields === null) {
    if (node.children.length) throw new Error(t("movesFollow"));
    siblings.splice(siblings.indexOf(node), 1);
    node.parent.selected = 0;
    return;
  }
  if (!siblings.includes(node)) siblings.push(node);
  if (game.played?.nodes.has(node.parent)) game.played.nodes.add(node);        // the game goes on from the setup
  Object.assign(node, fields);
}

/** Let the server read the game.  Throws a SetupError if it refuses what a node sets up. */
async function reread({ game, changes, keepsAnswers }) {
  const sgf = formatGame(game.toRecord(), game.writtenInfo);
  const { game: read } = await server.load(new TextEncoder().encode(sgf), { number: 0 });
  const { index } = game.nodeList([]);
  if (read.nodes.length !== index.size) throw new Error(t("nodesAtMost", { count: read.nodes.length }));
  for (const { node } of changes) {
    const { illegal } = read.nodes[index.get(node)];
    if (illegal && !node.illegal) throw new SetupError(illegal);
  }
  game.update(read, keepsAnswers ? null : changes[0].node);
}

/** A new step, after which what was undone is forgotten. */
async function commit(step) {
  await carryOut(step);
  const { done, undone } = step.game.edits;
  change(() => {
    done.push(step);
    undone.length = 0;
  });
}

const fieldsOf = (node) => Object.fromEntries(FIELDS.map((name) => [name, node[name]]));

/** Change the properties of the current node, which changes no position. */
async function editNode(edit, node = state.game.node) {
  const { game } = state;
  const text = propertiesOf(game, node);
  const properties = edit(text);
  if (properties === text) return;
  await commit({ game, changes: [{ node, before: fieldsOf(node), after: { ...fieldsOf(node), properties } }] });
}

/** Whether a node has a move, also one that is not on the board. */
function hasMove({ move, properties: text }) {
  const properties = parseProperties(text);
  return Boolean(move) || properties.has("B") || properties.has("W");
}

/** Change the setup of the current node; of one with a move, in a new node after it: SGF forbids both in one node. */
async function editSetup(edit) {
  const { game } = state;
  const { node } = game;
  if (hasMove(node)) {
    const child = newNode(node, {});
    await commit({ game, changesPositions: true, changes: [{ node: child, before: null, after: { properties: edit("") } }] });
    return;
  }
  const after = { properties: edit(propertiesOf(game, node)), ...UNKNOWN };
  await commit({ game, changesPositions: true, changes: [{ node, before: fieldsOf(node), after }, ...withoutValues(node)] });
}

/** Changes that take the win rates from the nodes after one, whose positions are others now. */
function withoutValues(node) {
  const changes = [];
  const stack = [...node.children];
  while (stack.length) {
    const each = stack.pop();
    stack.push(...each.children);
    if (Object.keys(UNKNOWN).every((name) => each[name] == null)) continue;
    changes.push({ node: each, before: fieldsOf(each), after: { ...fieldsOf(each), ...UNKNOWN } });
  }
  return changes;
}

/** Undo the last edit, or carry it out again. */
export function undoEdit(isRedo = false) {
  return enqueue(async () => {
    const { done, undone } = state.game.edits;
    const [from, to] = isRedo ? [undone, done] : [done, undone];
    const step = from.at(-1);
    if (!step) return;
    if (step.changes.some(({ node }) => !isInTree(state.game, node, isRedo))) {
      from.pop();
      throw new Error(t("nodeWasDeleted"));
    }
    await carryOut(step, !isRedo);
    change(() => to.push(from.pop()));
    showMessage(t(isRedo ? "editIsRedone" : "editIsUndone"));
  });
}

export const redoEdit = () => undoEdit(true);

function isInTree(game, node, isRedo) {
  let each = node;
  if (isRedo && each.parent && !each.parent.children.includes(each)) each = each.parent;
  for (; each.parent; each = each.parent) if (!each.parent.children.includes(each)) return false;
  return each === game.root;
}

// ---- the tools

/** Use the tool on a point; pressed: where the mouse was pressed. */
export function useTool(vertex, pressed = vertex) {
  const { tool } = state;
  return enqueue(() => {
    if (tool in STONES) return setUpStone(tool, vertex);
    if (tool === "LN" || tool === "AR") return drawLine(tool, vertex, pressed);
    return tool === "text" ? writeLabel(vertex) : setMark(tool, vertex);
  });
}

async function setMark(tool, vertex) {
  const { game } = state;
  const { node, size } = game;
  const at = parseVertex(vertex, size);
  await editNode((text) => {
    if (tool === "DD") return toggleDimmed(text, at, size, node.parent ? dimmed(node.parent) : []);
    if (tool !== "letter" && tool !== "number") return toggleMark(text, tool, at, size);
    const isSame = (tool === "number" ? /^\d+$/ : /^[A-Za-z]\d*$/).test(labelAt(text, at));
    return setLabel(text, at, isSame ? "" : nextLabel(text, tool === "number"));
  });
  showMark(vertex);
}

/** Say what is on a point of the board. */
function showMark(vertex) {
  const mark = marksOf(state.game.node, state.game.size).names.get(vertex) ?? t("noMark");
  showMessage(t("pointHas", { vertex, mark }));
}

async function writeLabel(vertex) {
  const { game } = state;
  const at = parseVertex(vertex, game.size);
  const label = await askLabel(vertex, labelAt(propertiesOf(game, game.node), at));
  if (label === null || game !== state.game) return;
  await editNode((text) => setLabel(text, at, label));
  showMark(vertex);
}

async function drawLine(tool, vertex, pressed) {
  const { game, at } = state;
  const { lineStart } = at;
  const from = lineStart ?? pressed;
  if (from === vertex) {                 // the first click, or the second one on the same point
    at.lineStart = lineStart ? null : vertex;
    showMessage(lineStart ? t("noLine") : t("lineFrom", { vertex }));
    return;
  }
  at.lineStart = null;
  const [first, last] = [from, vertex].map((each) => parseVertex(each, game.size));
  await editNode((text) => toggleLine(text, tool, first, last));
  const isEnd = (a, b) => a.row === b.row && a.col === b.col;
  const isThere = marksOf(game.node, game.size).lines.some((line) => isEnd(line.from, first) && isEnd(line.to, last));
  showMessage(t(isThere ? "lineDrawn" : "lineRemoved", { tool: capital(t(TOOLS[tool].title)), from, to: vertex }));
}

async function setUpStone(tool, vertex) {
  const { game } = state;
  const { node, size } = game;
  const { row, col } = parseVertex(vertex, size);
  const stoneAt = (each) => each.position.stones[row * size.cols + col];
  await fetchPosition(game, node);
  const stone = stoneAt(node) === tool ? "." : tool;
  if (stoneAt(node) === stone) return showMessage(t("pointIsEmpty", { vertex }));
  const before = hasMove(node) ? node : node.parent;
  if (before) await fetchPosition(game, before);
  try {
    await editSetup((text) => setStone(text, { row, col }, stone, before ? stoneAt(before) : ".", size));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const reason = game.isGo ? t("noLiberties") : error.message;
    throw new Error(t("noStoneOn", { stone: t(STONES[stone]), vertex, reason }));
  }
  return showMessage(t("pointHas", { vertex, mark: t(STONES[stone]) }));
}

/** Give the turn to the other side (PL). */
export function changeTurn() {
  return enqueue(async () => {
    const { game } = state;
    await fetchPosition(game, game.node);
    const turn = game.node.position.to_play === "B" ? "W" : "B";
    await editSetup((text) => withValues(text, "PL", [turn]));
    showMessage(sentence(t("toPlay", { colour: colourName(game.node.position.to_play) })));
  });
}

// ---- a tsumego frame

const ATTACKERS = { B: "Black", W: "White" };            // in files

/** Surround the stones of a problem, so that the problem decides the game: in a new node, a variation.  Again on that node:
    the other side attacks.  Only the problem is searched then. */
export function frameProblem() {
  return enqueue(async () => {
    const { game } = state;
    const { node } = game;
    if (!canFrame(state)) return;
    const bare = node.attacker ? node.parent : node;
    await fetchPosition(game, bare);
    const asked = node.attacker ? { attacker: node.attacker === "B" ? "W" : "B" } : {};
    const { game: framed, attacker } = await server.request("tsumego_frame", { ...game.requestFields(bare), ...asked });
    if (game !== state.game || node !== game.node) return;
    const { stones } = bare.position;
    const properties = frameProperties(framed, stones, game.size, `Tsumego frame: ${ATTACKERS[attacker]} attacks`);
    if (node.attacker) {
      const before = { ...fieldsOf(node), attacker: node.attacker };
      const after = { properties, attacker, ...UNKNOWN };
      await commit({ game, changesPositions: true, changes: [{ node, before, after }, ...withoutValues(node)] });
    } else {
      const child = newNode(node, {});
      await commit({ game, changesPositions: true, changes: [{ node: child, before: null, after: { properties, attacker } }] });
    }
    change(() => { state.region = zoneOf(stones, game.size); });
    showMessage(t("framed", { colour: colourName(attacker) }));
  });
}

/** The properties that add the stones of a frame to a position. */
function frameProperties({ black, white, first }, stones, size, name) {
  const added = (vertices) => vertices.map((vertex) => parseVertex(vertex, size))
    .filter(({ row, col }) => stones[row * size.cols + col] === ".").map(formatPoint);
  return formatProperties(new Map([["N", [escaped(name)]], ["AB", added(black)], ["AW", added(white)], ["PL", [first]]]
    .filter(([, values]) => values.length)));
}

// ---- names, annotations and game information

/** Set the values of a property of a node. */
export const setNodeValues = (ident, values, node = state.game.node) =>
  enqueue(() => editNode((text) => withValues(text, ident, values), node));

const annotate = (kind, value) => enqueue(() => editNode((text) => setAnnotation(text, kind, value)));
export const annotatePosition = (value) => annotate(0, value);
export const annotateMove = (value) => annotate(1, value);

/** Mark the node as one that decides the game (HO), or not. */
export const setHotspot = (_, { checked }) => setNodeValues("HO", checked ? ["1"] : []);

/** Change the game information; texts: identifier -> text, '' for none.  It then stands in the root. */
export const editGameInfo = (texts) => enqueue(async () => {
  const { game } = state;
  const { info, end } = game;
  const newInfo = { ...info };
  const edit = (node, text) => Object.entries(texts).reduce((edited, [ident, value]) =>
    withValues(edited, ident, value && !node.parent ? [escaped(value)] : []), text);
  for (const [ident, value] of Object.entries(texts)) {
    if (ident in INFO) newInfo[INFO[ident]] = value;
  }
  const edited = mainLine(game.root).map((node) => ({ node, text: propertiesOf(game, node) }))
    .map(({ node, text }) => ({ node, text, properties: edit(node, text) })).filter(({ text, properties }) => text !== properties);
  if (!edited.length) return;
  const values = (text) => ["KM", "RU"].map((ident) => parseProperties(text).get(ident)?.[0]).join();
  const keepsAnswers = edited.every(({ text, properties }) => values(text) === values(properties));
  const unknown = keepsAnswers ? {} : UNKNOWN;
  const changes = edited.map(({ node, properties }) =>
    ({ node, before: fieldsOf(node), after: { ...fieldsOf(node), properties, ...unknown } }));
  if (!keepsAnswers) {
    const nodes = new Set(edited.map(({ node }) => node));
    changes.push(...withoutValues(game.root).filter(({ node }) => !nodes.has(node)));
  }
  const isSameResult = (newInfo.result ?? "") === (info.result ?? "");
  const after = { info: newInfo, end: isSameResult ? end : (newInfo.result && mainLine(game.root).at(-1)) || null };
  await commit({ game, info: { before: { info, end }, after }, changes, changesPositions: true, keepsAnswers });
  showMessage(t("infoIsChanged"));
});

/** The game information that the main line has: identifier -> text. */
export function gameInfoTexts() {
  const { game } = state;
  const texts = {};
  for (const node of mainLine(game.root)) {
    for (const [ident, [value]] of parseProperties(propertiesOf(game, node))) texts[ident] ??= unescaped(value);
  }
  return texts;
}
