// Texts for people, in the language of the page: words from texts/, numbers, colours, results, scores, leads and counts.
//
// What is written into a file does not come from here: it is English in every language.

import de from "../texts/de.js";
import en from "../texts/en.js";
import ja from "../texts/ja.js";

const LANGUAGES = { de, en, ja };             // by their tags (BCP 47)

/** The tag of the language of the page: "en", "de". */
export let language = "en";
let texts = LANGUAGES.en;
let plurals = new Intl.PluralRules(language);
let formats = new Map();                 // digits after the point, null for as many as there are -> Intl.NumberFormat
let counts = [];                         // small numbers as texts: they are formatted in each step
const templates = new Map();             // a text -> its parts: text, name of a value, text, ...

/** [tag, name] of each language, the name in the language itself. */
export const languageNames = Object.entries(LANGUAGES).map(([tag, { languageName }]) => [tag, languageName]);

/** Choose a language: a tag, or, if there is no such language ("auto"), the first of the preferred ones that there is. */
export function setLanguage(tag, preferred = []) {
  const tags = [tag, ...preferred].flatMap((each) => (each ? [each, each.split("-")[0]] : []));
  language = tags.find((each) => each in LANGUAGES) ?? "en";
  texts = LANGUAGES[language];
  plurals = new Intl.PluralRules(language);
  formats = new Map();
  counts = [];
}

/** The text of a key with its values.  Numbers are formatted; `count` chooses the plural form. */
export function t(key, values = {}) {
  const text = texts[key];
  const form = typeof text === "string" ? text : text[plurals.select(values.count)] ?? text.other;
  if (!templates.has(form)) templates.set(form, form.split(/\{(\w+)\}/));
  const parts = templates.get(form);
  return parts.length === 1 ? form : parts.map((part, i) => (i % 2 ? shown(values[part]) : part)).join("");
}

function shown(value) {
  if (typeof value !== "number") return value;
  return Number.isInteger(value) && value >= 0 && value < 1000 ? counts[value] ??= formatNumber(value) : formatNumber(value);
}

/** A number for people: '1,234.5'; digits: after the point. */
export function formatNumber(number, digits = null) {
  if (!formats.has(digits)) {
    const options = digits === null ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
    formats.set(digits, new Intl.NumberFormat(language, { ...options, signDisplay: "negative" }));     // 0, not -0
  }
  return formats.get(digits).format(number);
}

/** The name of a colour, "B" or "W". */
export const colourName = (colour) => t(colour === "B" ? "black" : "white");

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** A text as a sentence, which it may be already. */
export const sentence = (text) => (/[.!?…。]$/.test(text) ? capital(text) : t("sentence", { text: capital(text) }));

/** '2026-11-23 14:05', from milliseconds since 1970. */
export const momentText = (time) => new Date(time).toLocaleString("sv").slice(0, 16);

/** Parts of a text that are there, with dots between them. */
export const joined = (...parts) => parts.filter(Boolean).join(" · ");

// Names that records have, in English, of players without a name.
const NAMES = { You: "you", Black: "black", White: "white" };

/** The name of a player in a record as the page shows it. */
export const playerText = (name) => (Object.hasOwn(NAMES, name) ? t(NAMES[name]) : name);

const RANKS = { d: "rankDan", k: "rankKyu", o: "rankPro" };

/** '3d' -> '3 dan', '5k' -> '5 kyu', 'pro' -> 'professional rank'. */
export const rankName = (rank) => t(RANKS[rank.at(-1)], { number: parseInt(rank, 10) });

// What the server says of illegal moves.
const REASONS = { "is occupied": "isOccupied", "retakes the ko": "retakesTheKo", "is suicide": "isSuicide",
  "repeats a position (superko)": "repeatsAPosition", "comes after the end of the game": "comesAfterTheEnd" };

/** Why a move is illegal, from the server's words. */
export const reasonText = (reason) => (Object.hasOwn(REASONS, reason) ? t(REASONS[reason]) : reason);

/** 'B Q16' -> 'Black played Q16.' */
export function moveText(move) {
  const [colour, vertex] = move.split(" ");
  return t(vertex === "pass" ? "passedMove" : "playedMove", { colour: colourName(colour), vertex });
}

const WAYS_TO_WIN = { R: "winsByResignation", T: "winsOnTime", F: "winsByForfeit", "": "wins" };

/** 'B+3.5' -> 'Black wins by 3.5'. */
export function resultText(result) {
  if (result === "0" || result === "Draw") return t("draw");
  if (!["B", "W"].includes(result[0])) return t("noResult");
  const how = result.slice(2);
  const points = how && Number(how);
  return t(WAYS_TO_WIN[how] ?? "winsBy", { colour: colourName(result[0]), points: Number.isNaN(points) ? how : points });
}

export function scoreText({ result, points, prisoners, komi, handicap_bonus: bonus }) {
  const counted = (colour) => (!prisoners ? formatNumber(points[colour]) : t("territoryAndPrisoners",
    { points: points[colour], territory: points[colour] - prisoners[colour], count: prisoners[colour] }));
  return t("scoreLine", { result: resultText(result), black: counted("B"), white: counted("W"), komi,
    handicap: bonus ? t("scoreHandicap", { points: bonus }) : "" });
}

/** Who leads, as 'W+3.5'; '' where the lead is not known. */
export function formatLead(lead) {
  return lead == null ? "" : `${t(lead < 0 ? "whiteLetter" : "blackLetter")}+${formatNumber(Math.abs(lead), 1)}`;
}

/** 1234 -> '1.2k'. */
export function formatCount(count) {
  if (count < 1000) return String(count);
  if (count < 1e6) return `${formatNumber(count / 1e3, count < 1e4 ? 1 : 0)}k`;
  return `${formatNumber(count / 1e6, 1)}m`;
}

export const percent = (share, digits = 0) => formatNumber(100 * share, digits);
