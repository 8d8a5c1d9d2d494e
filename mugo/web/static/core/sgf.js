// A game as SGF text.  mugo/sgf/tree.py reads it.
//
// A node that is from a file has all of its properties as SGF text, and that text is written again: with a new comment or
// analysis only if they are not those of the text, and the root with new game information only where that was changed.  So
// nothing is lost that the page does not know.  An analysis is written twice: as LZ for programs, in the comment for people.

import { formatPoint, parseSize, parseVertex } from "./coordinates.js";
import { formatLz, parseLz } from "./lz.js";
import { escaped, parseProperties, unescaped, withValues } from "./properties.js";

export const INFO = { PB: "black", PW: "white", BR: "black_rank", WR: "white_rank", RE: "result", DT: "date", EV: "event",
  PC: "place", RU: "rules", TM: "main_time", OT: "overtime" };
const LINE_LENGTH = 79;
const LIKE_A_ROOT = /^;(?:FF|GM|CA|AP|SZ)\[/;
const BLANKS = " ".repeat(10);           // more than stand between `)` and the beginning of another game

const byteLength = (text) => new TextEncoder().encode(text).length;

/** game: of Game.toRecord.  writtenInfo: the game information that the root's properties have.
    Lines break as format_nodes in mugo/sgf/nodes.py breaks them: where no variation looks like another game. */
export function formatGame(game, writtenInfo = game.info) {
  const children = game.nodes.map(() => []);
  game.nodes.forEach(({ parent }, i) => { if (i) children[parent].push(i); });
  let text = "";
  let length = 0;                        // of the line, in bytes
  const stack = [0];
  while (stack.length) {
    const i = stack.pop();
    if (i === null) {
      text += ")";
      continue;
    }
    const hasBrackets = !i || children[game.nodes[i].parent].length > 1;
    let written = `;${formatNode(game, game.nodes[i], i ? null : writtenInfo)}`;
    if (hasBrackets) {
      if (text.endsWith(")") && LIKE_A_ROOT.test(written)) text += BLANKS;
      written = `(${written}`;
      stack.push(null);
    } else if (length + byteLength(written) > LINE_LENGTH) {
      written = `\n${written}`;
      length = 0;
    }
    text += written;
    length += byteLength(written);
    stack.push(...children[i].toReversed());
  }
  return `${text}\n`;
}

/** writtenInfo: the root's; null for another node. */
function formatNode(game, node, writtenInfo) {
  let properties = node.properties === undefined ? newProperties(game, node, Boolean(writtenInfo)) : node.properties;
  const charset = parseProperties(properties).get("CA")?.[0] ?? "";
  if (writtenInfo && charset.trim().toUpperCase() !== "UTF-8") properties = withValues(properties, "CA", ["UTF-8"]);
  if (writtenInfo && node.properties !== undefined) {
    const found = new Set(game.nodes.flatMap((each) => [...parseProperties(each.properties).keys()]));
    if (found.has("GN")) found.add("EV");          // the name of the game stands in the place of an event
    for (const [ident, name] of Object.entries(INFO)) {
      const text = game.info[name] ?? "";
      if (text !== (writtenInfo[name] ?? "") || (text && !found.has(ident))) properties = withValues(properties, ident, text ? [escaped(text)] : []);
    }
  }
  const toPlay = node.to_play ?? (node.move ? { B: "W", W: "B" }[node.move[0]] : game.first);
  const isRoot = Boolean(writtenInfo);
  const size = parseSize(game.size);
  const found = commentFields(properties);
  const searched = (each) => (each?.visits ? each : null);
  const read = searched(analysisIn({ properties, parent: !isRoot }, size, toPlay) ?? found.analysis);
  const analysis = searched(node.analysis);
  const isSame = textOf(analysis, toPlay) === textOf(read, toPlay);
  const values = analysis?.moves.length ? [escaped(formatLz(analysis, toPlay))] : [];
  if (!isSame) properties = withValues(properties, isRoot ? "LZOP" : "LZ", values);
  const comment = formatComment(node.comment, isSame ? found.analysis : analysis);
  if (comment === formatComment(found.comment, found.analysis)) return properties;
  return withValues(properties, "C", comment ? [escaped(comment)] : []);
}

/** What a file has of an analysis. */
const textOf = (analysis, toPlay) => analysis && `${formatComment("", analysis)}\n${formatLz(analysis, toPlay)}`;

/** The analysis that the properties of a node have in LZ, or in LZOP of the root; null where there is none to read. */
export function analysisIn({ properties, parent }, size, toPlay) {
  const ident = parent ? "LZ" : "LZOP";
  if (!properties?.includes(`${ident}[`)) return null;
  const value = parseProperties(properties).get(ident)?.[0];
  return value === undefined ? null : parseLz(unescaped(value), size, toPlay);
}

/** The properties of a node that is not from a file, without its comment.  game: of Game.toRecord; its nodes are not used. */
export function newProperties(game, { move, time_left: left, overtime_left: overtime }, isRoot) {
  if (!isRoot) {
    const [colour, vertex] = move.split(" ");
    const times = [[`${colour}L`, left], [`O${colour}`, overtime]].filter(([, value]) => value !== undefined)
      .map(([ident, value]) => `${ident}[${value.toFixed(1).replace(/\.0$/, "")}]`);
    return `${colour}[${formatMove(vertex, parseSize(game.size))}]${times.join("")}`;
  }
  const isGo = game.name !== "gomoku";
  const values = { FF: 4, GM: isGo ? 1 : 4, CA: "UTF-8", AP: "MuGo:web", SZ: formatSgfSize(parseSize(game.size)) };
  if (isGo) values.KM = game.komi.toFixed(6).replace(/\.?0+$/, "");        // without an exponent
  if (isGo && game.handicap) values.HA = game.handicap;
  const info = isGo ? game.info : { ...game.info, rules: `${game.exactly ? "exactly " : ""}${game.k} in a row` };
  for (const [ident, name] of Object.entries(INFO)) if (info[name]) values[ident] = info[name];
  let properties = Object.entries(values).map(([ident, value]) => `${ident}[${escaped(String(value))}]`).join("");
  for (const [ident, vertices] of [["AB", game.black], ["AW", game.white]]) {
    if (vertices.length) properties += `${ident}${vertices.map((vertex) => `[${formatMove(vertex, parseSize(game.size))}]`).join("")}`;
  }
  return properties + (game.black.length || game.white.length || game.first === "W" ? `PL[${game.first}]` : "");
}

/** The SGF value of a size: '9', or '13:9', columns and rows. */
function formatSgfSize({ rows, cols }) { return rows === cols ? String(rows) : `${cols}:${rows}`; }

function formatMove(vertex, size) {
  const at = parseVertex(vertex, size);
  return at ? formatPoint(at) : "";
}

/** The comment of a node: the win rate and the lead, then its text. */
function formatComment(comment = "", analysis = null) {
  if (!analysis) return comment.trim();
  const { win_rate: winRate, lead, visits } = analysis;
  const points = typeof lead === "number" ? `, ${lead <= -0.05 ? "W" : "B"}+${Math.abs(lead).toFixed(1)}` : "";
  return `Black wins ${(100 * winRate).toFixed(1)} % (${visits} visits${points})\n${comment}`.trim();
}

/** The comment and the analysis that the comment of these properties gives, as _comment_fields in mugo/sgf/tree.py has them. */
function commentFields(properties) {
  const text = unescaped(parseProperties(properties).get("C")?.[0] ?? "");
  const found = /Black wins (\d{1,3}(?:\.\d)?) % \((\d{1,15}) visits(?:, ([BW])\+(\d{1,4}\.\d))?\)\s*/.exec(text);
  if (!found) return { comment: text.trim(), analysis: null };
  const [, winRate, visits, colour, points] = found;
  return { comment: text.replace(found[0], "").trim(), analysis: { win_rate: Math.min(Number(winRate), 100) / 100,
    visits: Number(visits), lead: colour ? (colour === "W" ? -1 : 1) * Number(points) : null, moves: [] } };
}
