// The rules of Go by KataGo's names and objects: mugo/games/rules.py, whose names and fields facts.json has.

import { BadInput, quoted } from "./errors.js";

let facts;
export const useFacts = (given) => { facts = given.rules; };

/** MuGo's own rules, with these fields. */
export const rulesOf = (fields = {}) => ({ ...facts.own, name: "", ...fields });

const shorten = (value) => { const text = repr(value); return text.length <= 60 ? text : `${text.slice(0, 57)}...`; };
const repr = (value) => (typeof value === "string" ? quoted(value) : value === true ? "True" : value === false ? "False"
  : value === null ? "None" : JSON.stringify(value));

export function parseRules(value) {
  if (typeof value === "string" && value.trim().startsWith("{")) {
    try { value = JSON.parse(value); } catch (error) { throw new BadInput(`the rules are not JSON: ${error.message}`); }
  }
  const textField = new RegExp(facts.textField, "y");
  if (typeof value === "string" && textField.test(value.trim())) value = textFields(value.trim());
  if (typeof value === "string") {
    const plain = (name) => name.replaceAll(/[ _-]/g, "");
    const known = Object.keys(facts.named).find((name) => plain(name) === plain(value.trim().toLowerCase()));
    if (!known) throw new BadInput(`${shorten(value)} is not a name of rules (known are ${Object.keys(facts.named).join(", ")})`);
    return { ...facts.named[known], name: known };
  }
  const values = {};
  for (const [key, given] of Object.entries(value)) {
    const name = key === "score" ? "scoring" : key;
    if (!(name in facts.fields)) throw new BadInput(`${shorten(key)} is not a field of rules (known are ${Object.keys(facts.fields).join(", ")})`);
    values[name] = fieldValue(key, given, facts.fields[name]);
  }
  if (values.scoring === "TERRITORY" && !("tax" in values)) values.tax = "SEKI";
  return rulesOf(values);
}

function textFields(text) {
  const fields = { friendlyPassOk: false };
  const textField = new RegExp(facts.textField, "y");
  let end = 0;
  for (let match; (match = textField.exec(text)); end = textField.lastIndex) {
    const name = facts.textKeys[match[1]];
    const isFlag = facts.fields[name].length === 2 && facts.fields[name][0] === false;
    fields[name] = isFlag && "01".includes(match[2]) ? match[2] === "1" : match[2];
  }
  if (end < text.length) throw new BadInput(`${shorten(text.slice(end))} is not a field of rules (known are ${Object.keys(facts.textKeys).join(", ")})`);
  return fields;
}

function fieldValue(key, value, known) {
  const text = typeof value === "string" ? value.toUpperCase() : Number.isInteger(value) ? String(value) : value;
  const found = known.find((each) => each === text);
  if (found === undefined) throw new BadInput(`${shorten(key)} is ${shorten(value)} (known are ${known.map((each) => JSON.stringify(each)).join(", ")})`);
  return found;
}

/** KataGo's text of these rules. */
export function rulesText(rules) {
  return Object.entries(facts.textKeys).map(([key, name]) =>
    [key, typeof rules[name] === "boolean" ? String(Number(rules[name])) : rules[name]])
    .filter(([key, text]) => ["ko", "score", "tax", "sui"].includes(key) || text !== "0").map((pair) => pair.join("")).join("");
}

const supported = (rules) => ({ ...rules, tax: rules.tax === "ALL" ? "NONE" : rules.tax, hasButton: false, suicide: false });

/** As parseRules of text, as MuGo plays them; also throws for rules under which MuGo would mistake who wins. */
export function rulesToPlay(name) {
  const rules = parseRules(name), played = supported(rules);
  const ignored = ["hasButton", "tax"].filter((field) => rules[field] !== played[field]);
  if (ignored.length) throw new BadInput(`${shorten(name)} is not supported: ${ignored.map((field) => `${field} ${String(rules[field])}`).join(", ")}`);
  return played;
}

export const bonusOf = (rules, stones) =>
  (rules.whiteHandicapBonus === "0" ? 0 : Math.max(stones - (rules.whiteHandicapBonus === "N-1" ? 1 : 0), 0));
export const removesDeadStones = (rules) => rules.scoring === "TERRITORY" || rules.friendlyPassOk;

/** The whiteHandicapBonus by which White has this many points for this many handicap stones. */
export function bonusField(handicap, bonus) {
  const names = facts.fields.whiteHandicapBonus;
  const found = names.find((name) => bonusOf({ whiteHandicapBonus: name }, handicap) === bonus);
  if (found !== undefined) return found;
  const points = [...new Set(names.map((name) => bonusOf({ whiteHandicapBonus: name }, handicap)))].sort((a, b) => a - b);
  throw new BadInput(`White gets ${points.join(" or ")} points for ${handicap} handicap stones, not ${formatG(bonus)}`);
}

/** A number as Python's :g has it. */
export const formatG = (x) => String(Number(x.toPrecision(6)));

const sameFields = (a, b) => Object.keys(facts.fields).every((name) => a[name] === b[name]);

/** Rules for a record of a game with these handicap stones: record_name of mugo/sgf/record_positions.py. */
export function recordName(rules, handicap) {
  if (!rules.name && sameFields(rules, rulesOf({ whiteHandicapBonus: rules.whiteHandicapBonus }))) {
    return ["Chinese", "AGA", "New Zealand"].find((name) =>
      areaBonus(parseRecordRules(name), handicap) === bonusOf(rules, handicap));
  }
  const name = rules.name || (Object.keys(facts.named).find((each) => sameFields(facts.named[each], rules)) ?? "");
  if (name) return facts.spellings[name] ?? name.replaceAll(/[a-z]+/g, (word) => word[0].toUpperCase() + word.slice(1));
  return sameFields({ ...rules, ko: "SIMPLE" }, facts.named.japanese) ? "Japanese" : rulesText(rules);
}

const areaBonus = (rules, handicap) => bonusOf({ whiteHandicapBonus: rules.scoring === "TERRITORY" ? "N" : rules.whiteHandicapBonus }, handicap);

/** The rules of a record (RU); null if they are not known. */
export function parseRecordRules(text) {
  const plain = text.normalize("NFKC").trim();
  try {
    return parseRules(plain.split("(")[0].trim().replace(new RegExp(facts.wordForRules, "i"), "").trim());
  } catch {
    const name = Object.keys(facts.beginnings).find((each) => new RegExp(`^(?:${facts.beginnings[each]})`, "i").test(plain));
    return name ? { ...facts.named[name], name } : null;
  }
}
