// The texts of the page: each language has all of them, none is unused or missing, and none is written elsewhere.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { TOOLS } from "../../../mugo/web/static/core/edit_properties.js";
import { PHASES } from "../../../mugo/web/static/core/review.js";
import {
  formatLead, formatNumber, language, languageNames, percent, playerText, resultText, setLanguage, t,
} from "../../../mugo/web/static/core/texts.js";
import de from "../../../mugo/web/static/texts/de.js";
import en from "../../../mugo/web/static/texts/en.js";
import ja from "../../../mugo/web/static/texts/ja.js";

const LANGUAGES = { de, en, ja };
const STATIC = new URL("../../../mugo/web/static/", import.meta.url);
const HTML = readFileSync(new URL("index.html", STATIC), "utf8");
const MODULES = readdirSync(STATIC, { recursive: true })
  .filter((name) => name.endsWith(".js") && !name.startsWith("texts/") && name !== "load_error.js");
const code = (name) => readFileSync(new URL(name, STATIC), "utf8").replace(/\/\*[^]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
const CODE = MODULES.map((name) => [name, code(name)]);
const KEYS = Object.keys(LANGUAGES.en);
const formsOf = (text) => (typeof text === "string" ? [text] : Object.values(text));
const placeholders = (text) => [...new Set(text.match(/\{\w+\}/g))].sort().join();
const HTML_KEYS = [...HTML.matchAll(/\sdata-(?:text|title|label)="([^"]*)"/g)].map(([, key]) => key);
const LITERAL = /"(?:[^"\\\n]|\\.)*"/g;

test("every language has the same texts, with the same values, in all its plural forms", () => {
  assert.ok(KEYS.length > 300);
  for (const [tag, texts] of Object.entries(LANGUAGES)) {
    assert.deepEqual(Object.keys(texts).sort(), [...KEYS].sort(), tag);
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    for (const [key, text] of Object.entries(texts)) {
      const [values] = formsOf(LANGUAGES.en[key]).map(placeholders);
      for (const form of formsOf(text)) {
        assert.ok(form.trim(), `${tag}: ${key}`);
        assert.equal(placeholders(form), values, `${tag}: ${key}`);
        assert.equal(form.split("`").length % 2, 1, `${tag}: ${key} has a key without an end`);
      }
      if (typeof text !== "string") assert.deepEqual(Object.keys(text).sort(), [...pluralCategories].sort(), `${tag}: ${key}`);
    }
  }
});

/** The keys in the first arguments of t(...): strings that nothing is compared with. */
function keysOfCalls(text) {
  return [...text.matchAll(/\bt\(/g)].flatMap(({ index }) => {
    let [depth, end] = [0, index + 2];
    for (; depth >= 0 && !(depth === 0 && text[end] === ","); end++) depth += "([{".includes(text[end]) - ")]}".includes(text[end]);
    return text.slice(index + 2, end).replace(/[!=]== "[^"]*"/g, "").match(LITERAL)?.map((each) => each.slice(1, -1)) ?? [];
  });
}

test("each text that the page uses exists, and each that exists is used", () => {
  const called = CODE.flatMap(([, text]) => keysOfCalls(text));
  assert.ok(called.length > 150 && HTML_KEYS.length > 200);
  const used = new Set([...HTML_KEYS, ...called, ...PHASES, ...Object.values(TOOLS).flatMap(({ title, hint }) => [title, hint])]);
  assert.deepEqual([...used].filter((key) => !KEYS.includes(key)), []);
  const named = new Set([...used, "languageName", ...CODE.flatMap(([, text]) => text.match(LITERAL) ?? []).map((each) => each.slice(1, -1))]);
  assert.deepEqual(KEYS.filter((key) => !named.has(key)), []);
});

test("index.html has no text of its own", () => {
  const proper = ["MuGo", "Go", "Gomoku"];
  const rest = HTML.replace(/<datalist[^]*?<\/datalist>/g, "");              // names of rules, as files have them
  const isText = (text) => /\p{L}{2}/u.test(text) && !proper.includes(text.trim());
  assert.deepEqual([...rest.matchAll(/>([^<]+)/g)].map(([, text]) => text).filter(isText), []);
  const attributes = [...rest.matchAll(/\s(?:title|aria-label|placeholder|alt|label)="([^"]*)"/g)].map(([, text]) => text);
  assert.deepEqual(attributes.filter(isText), []);
  for (const [tag] of HTML.matchAll(/<[^>]*data-text[^>]*>[^<]/g)) assert.fail(`${tag} has a text, which its key replaces`);
});

test("the language is the one that was chosen, else the browser's, else English", () => {
  for (const [tag, preferred, expected] of [["de", ["en"], "de"], ["auto", ["de-AT", "en"], "de"], ["auto", ["fr", "de"], "de"],
    ["auto", ["fr"], "en"], [null, [], "en"], ["xx", ["de"], "de"]]) {
    setLanguage(tag, preferred);
    assert.equal(language, expected, `${tag} ${preferred}`);
  }
  assert.deepEqual(languageNames.map(([tag]) => tag), Object.keys(LANGUAGES));
});

test("numbers, plurals and results follow the language", () => {
  setLanguage("en");
  assert.equal(t("movesCount", { count: 1 }), "1 move");
  assert.equal(t("movesCount", { count: 0 }), "0 moves");
  assert.equal(formatNumber(1234.5), "1,234.5");
  assert.equal(formatNumber(-0.01, 1), "0.0");
  assert.deepEqual(["B+3.5", "W+R", "0", "B+T", "W+F", "W+", "Void"].map(resultText), ["Black wins by 3.5",
    "White wins by resignation", "A draw", "Black wins on time", "White wins by forfeit", "White wins", "No result"]);
  assert.equal(formatLead(-2.25), "W+2.3");
  setLanguage("de");
  assert.equal(t("movesCount", { count: 1 }), "1 Zug");
  assert.equal(t("movesCount", { count: 1234 }), "1.234 Züge");
  assert.equal(percent(0.5325, 1), "53,3");
  assert.deepEqual(["B+3.5", "W+R", "0"].map(resultText), ["Schwarz gewinnt mit 3,5", "Weiß gewinnt durch Aufgabe", "Unentschieden"]);
  assert.equal(formatLead(3.25), "S+3,3");
  assert.deepEqual(["You", "Black", "Shusaku", "constructor"].map(playerText), ["Du", "Schwarz", "Shusaku", "constructor"]);
  setLanguage("en");
});
