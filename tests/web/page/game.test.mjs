// The game: analyses that are kept, results, variations, clocks; without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isBetter, isComplete, valuesOf } from "../../../mugo/web/static/core/analysis.js";
import { Game } from "../../../mugo/web/static/core/game.js";
import { LEVELS, lostByMoves } from "../../../mugo/web/static/core/losses.js";
import { formatGame } from "../../../mugo/web/static/core/sgf.js";
import { ANALYSIS, fileGame, goGame, moves } from "./games.mjs";

const again = (game) => Game.fromJSON(JSON.parse(JSON.stringify(game)));
const written = (game) => formatGame(game.toRecord(), game.writtenInfo).replaceAll("\n;", ";");       // in one line

test("an analysis has its best moves after a reload and in SGF", () => {
  const game = goGame(moves("B E5", "W C3"));
  const node = game.line()[1];
  const stored = { ...ANALYSIS, moves: ANALYSIS.moves.map((move) => ({ ...move, prior: 0.5 })) };
  node.analysis = { ...stored, ownership: [1] };
  assert.deepEqual(again(game).line()[1].analysis, stored);
  assert.match(written(game), /;B\[ee\]LZ\[MuGo 53\.4 70 -1\.20\nmove D4 visits 40 winrate 4660 scoreMean -1\.20 pv D4 C3\]C\[Black wins 53\.4 % \(70 visits, B\+1\.2\)\]/);
});

test("what a file has of an analysis stays byte for byte", () => {
  for (const [properties, fields] of [
    ["B[ee]LZ[Lizzie 53.4 1.2k\nmove D4 visits 1138 winrate 4660 pv D4 C3 info ]C[well]", { comment: "well" }],
    ["B[ee]LZ[damaged]C[Black wins 53.4 % (70 visits, B+1.2)]", { win_rate: 0.534, visits: 70, lead: 1.2 }],
    ["B[ee]C[Black wins 0.0 % (0 visits)]", { win_rate: 0, visits: 0 }],
    ["LZ[MuGo 46.6 70\nmove D4 visits 40 winrate 5340 pv D4]B[ee]LZOP[x]"], ["B[ee]LZ[]"]]) {
    const game = fileGame(properties, undefined, fields);
    for (const each of [game, again(game)]) assert.equal(written(each), `(;GM[1]CA[UTF-8]SZ[9];${properties})\n`);
  }
});

test("the analysis of a file is read from LZ, of the root from LZOP, and else from the comment", () => {
  const [root, node] = fileGame("B[ee]LZ[MuGo 53.4 70 -1.20\nmove D4 visits 40 winrate 4660 scoreMean -1.20 pv D4 C3]",
    "GM[1]CA[UTF-8]SZ[9]LZOP[MuGo 50.0 9\n]").line();
  assert.deepEqual(node.analysis, ANALYSIS);
  assert.deepEqual(root.analysis, { win_rate: 0.5, lead: null, visits: 9, moves: [] });
  const game = fileGame("B[ee]C[Black wins 53.4 % (70 visits, B+1.2)]", undefined, { win_rate: 0.534, visits: 70, lead: 1.2 });
  assert.deepEqual(game.line()[1].analysis, { ...ANALYSIS, moves: [] });
});

test("an analysis that is dropped goes from LZ and from the comment, a new one takes its place", () => {
  const lz = "LZ[MuGo 53.4 70 -1.20\nmove D4 visits 40 winrate 4660 scoreMean -1.20 pv D4 C3]";
  const comment = "C[Black wins 53.4 % (70 visits, B+1.2)\nwell]";
  const game = fileGame(`B[ee]${lz}${comment}`, undefined, { comment: "well" });
  game.line()[1].analysis = undefined;
  assert.equal(written(game), "(;GM[1]CA[UTF-8]SZ[9];B[ee]C[well])\n");
  game.line()[1].analysis = { ...ANALYSIS, visits: 80 };
  assert.equal(written(game), `(;GM[1]CA[UTF-8]SZ[9];B[ee]${lz.replace(" 70 ", " 80 ")}${comment.replace("70", "80")})\n`);
});

test("the last node of a counted game has its result, after a reload and from a file", () => {
  const game = goGame(moves("B E5", "W pass", "B pass"));
  game.goTo(game.line().at(-1));
  game.node.analysis = ANALYSIS;
  game.setResult("W+0.5", game.node);
  const result = { win_rate: 0, lead: -0.5, visits: 0, moves: [] };
  for (const each of [game, again(game)]) assert.deepEqual(valuesOf(each.line().at(-1)), result);
  assert.match(written(game), /C\[Black wins 53\.4 %/);              // and keeps its analysis
  const resigned = goGame(moves("B E5"), { result: "B+R" });
  assert.equal(valuesOf(resigned.line().at(-1)), undefined);
});

test("values of an analysis that has no moves are replaced, and a deeper analysis is not", () => {
  assert.ok(isComplete(ANALYSIS, 70) && !isComplete(ANALYSIS, 71) && !isComplete({ ...ANALYSIS, moves: [] }, 70));
  const search = { ...ANALYSIS, visits: 5 };
  assert.deepEqual([undefined, ANALYSIS, { ...ANALYSIS, moves: [] }, { ...ANALYSIS, lead: null }].map((each) => isBetter(search, each)),
    [true, false, true, true]);
});

test("back to the game selects its moves", () => {
  const game = goGame([...moves("B E5", "W C3"), { parent: 0, move: "B G7" }, { parent: 3, move: "W G3" }]);
  game.goTo(game.root.children[1].children[0]);
  assert.equal(game.line()[1].move, "B G7");
  game.leaveVariation();
  assert.equal(game.node, game.root);
  assert.deepEqual(game.line().map(({ move }) => move), [undefined, "B E5", "W C3"]);
});

test("a record without moves that has a result is played on with another one", () => {
  const game = goGame(moves(), { result: "W+R" });
  game.playFrom();
  assert.equal(game.result, null);
  game.setResult("B+R", game.node);
  assert.deepEqual([game.result, game.info.result], ["B+R", "W+R"]);
});

test("numbers of moves follow the tree and MN", () => {
  const game = goGame([...moves("B E5", "W C3"), { parent: 2 }, { parent: 3, move: "B G7", properties: "B[gc]MN[10]" }]);
  const last = game.line().at(-1);
  assert.deepEqual([game.index(last), game.moveNumber(last), game.printedNumber(last)], [4, 3, 10]);
  last.properties = "B[gc]";
  game.touch();
  assert.equal(game.printedNumber(last), 3);
});

test("the losses of a line name the better move, also where it was played", () => {
  LEVELS.lead = [0.5, 1.5, 3, 6, 12];
  const game = goGame(moves("B E5", "W C3"));
  const values = [1.2, -3, -3];
  game.line().forEach((node, i) => { node.analysis = { ...ANALYSIS, lead: values[i] }; });
  game.line()[1].analysis.moves = [{ ...ANALYSIS.moves[0], move: "C3" }];
  const { unit, moves: found } = lostByMoves(game.line());
  assert.equal(unit, "lead");
  assert.deepEqual(found.map(({ lost, level, better }) => [lost.toFixed(1), level, better]), [["4.2", 3, "D4"], ["0.0", 0, "C3"]]);
});
