// The values of SGF's game-info properties: mugo/sgf/properties.py, whose patterns facts.json has.

import { BLACK, PASS, WHITE, areaOf } from "./coords.js";
import { BadInput } from "./errors.js";
import { formatG } from "./rules.js";
import { textValue } from "./sgf_text.js";

const MAX_KOMI = 200, MAX_KOMI_STONES = 4.75;

/** The first value of a property as one printable line. */
export function propertyText(properties, ident) {
  const raw = properties.get(ident)?.[0]?.slice(0, 2000) ?? "";
  return textValue(raw, true).slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, " ").trim();
}

/** { k, exactly } of '5 in a row'; null for other texts. */
export function interpretRow(text) {
  const match = /^\s*(exactly\s+)?(\d{1,2}) in a row\s*$/i.exec(text);
  return match && { k: Number(match[2]), exactly: Boolean(match[1]) };
}

const UNITS = { 十: 10, 百: 100 };
const NUMERALS = { ...Object.fromEntries([..."〇一二三四五六七八九"].map((numeral, i) => [numeral, i])), 零: 0, 两: 2, 兩: 2 };

/** A text with full-width letters and Chinese numerals as ASCII. */
export function plainDigits(text) {
  const plain = text.replaceAll(/[\uff01-\uff5e]/g,
    (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xFEE0)).replaceAll("\u3000", " ");
  return plain.replaceAll(/([〇零一二两兩三四五六七八九十百]{1,8})(?:分[之の]([一二三四]))?/g,
    (_, number, of) => (of ? `${valueOf(of)}/${valueOf(number)}` : String(valueOf(number))));
}

function valueOf(numerals) {
  let [total, digits] = [0, 0];
  for (const numeral of numerals) {
    if (numeral in UNITS) [total, digits] = [total + (digits || 1) * UNITS[numeral], 0];
    else digits = 10 * digits + NUMERALS[numeral];
  }
  return total + digits;
}

/** The number at a position of a text, in points; null if there is none. */
export function pointsIn(text, facts, position = 0, withUnit = false) {
  const pattern = new RegExp(facts.sgf.patterns.NUMBER, "iy");
  pattern.lastIndex = position;
  const match = pattern.exec(text)?.groups;
  if (!match || (withUnit && !(match.unit || match.half))) return null;
  let number = Number((match.decimal ?? "0").replace(",", "."));
  for (const name of ["fraction", "and_fraction", "symbol", "half", "half_after"]) number += facts.sgf.fractions[match[name] ?? ""] ?? 0;
  return (match.sign === "-" ? -number : number) * (match.unit === "子" ? 2 : 1);
}

const mod = (a, b) => ((a % b) + b) % b;

/** Komi in points; null if unknown. */
export function interpretKomi(info, facts) {
  let komi = pointsIn(plainDigits(propertyText(info, "KM")).replaceAll(new RegExp(facts.sgf.patterns.BEFORE_KOMI, "g"), ""), facts);
  if (komi === null) return null;
  const programs = info.get("AP") ?? [];
  if (programs.some((program) => program.startsWith("MuGo:"))) return Math.abs(komi) < MAX_KOMI ? komi : null;
  if ([25, 50, 75].includes(mod(komi, 100)) && Math.abs(komi) >= MAX_KOMI) komi /= 100;
  if (mod(komi, 0.5) === 0.25 && Math.abs(komi) <= MAX_KOMI_STONES) komi *= 2;
  const isFox = info.has("TC") || programs.some((program) => program.includes("foxwq"));
  if (komi === 0 && isFox && propertyText(info, "HA") === "0") return null;
  return Math.abs(komi) < MAX_KOMI && mod(komi, 0.5) === 0 ? komi : null;
}

/** The handicap stones of Black.  stones: [move index, colour]; moves: [colour, point]. */
export function interpretHandicap(info, stones, moves, shape) {
  const handicap = Number(/^\d{1,2}/.exec(propertyText(info, "HA"))?.[0] ?? 0);
  const blackStones = stones.filter(([, colour]) => colour === BLACK).length;
  if (handicap >= 2) {
    const played = moves.filter(([, point]) => point !== PASS);
    const firstWhite = played.findIndex(([colour]) => colour === WHITE);
    const first = firstWhite < 0 ? played.length : firstWhite;
    if (!blackStones && first < Math.min(2, played.length)) {
      throw new BadInput(`HA[${handicap}], but Black has ${first || "no"} stone${first ? "" : "s"} when White places the first one`);
    }
    return handicap;
  }
  return moves[0]?.[0] === WHITE && blackStones === stones.length && blackStones >= 2 ? blackStones : 0;
}

/** A result (RE): 'B+3.5', 'W+R', '0', ''. */
export function interpretResult(given, shape, facts) {
  const text = plainDigits(given).trim();
  const { patterns, win_by: winBy } = facts.sgf;
  const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "i").test(text);
  const begin = (pattern) => new RegExp(`^(?:${pattern})`, "di").exec(text);
  if (whole(patterns.DRAW)) return "0";
  const lost = begin(patterns.LOSER), match = lost ?? begin(patterns.WINNER);
  if (!match || whole(patterns.NOT_PLAYED)) return "";
  const isBlack = Boolean(match[2] || (match[1] ?? "").toLowerCase().startsWith("b"));
  const winner = isBlack !== Boolean(lost) ? "B" : "W";
  const rest = match[1] ? text.slice(match.indices[1][1]) : text;
  let points = margin(rest, shape, patterns.BEFORE_MARGIN, false, facts);
  if (!points) {
    for (const [letter, pattern] of winBy) if (new RegExp(pattern, "i").test(rest)) return `${winner}+${letter}`;
    points = margin(rest, shape, patterns.START_OF_NUMBER, true, facts);
  }
  return points ? `${winner}+${formatG(points)}` : `${winner}+`;
}

function margin(text, shape, start, withUnit, facts) {
  for (const match of text.matchAll(new RegExp(start, "gi"))) {
    let points = pointsIn(text, facts, match.index + match[0].length, withUnit) ?? 0;
    if (mod(points, 0.5) === 0.25) points *= 2;
    if (points > 0 && points <= 2 * areaOf(shape) && points % 0.5 === 0) return points;
  }
  return 0;
}

/** A date (DT): '2016-03-09', '2016-03', '2016' or ''. */
export function interpretDate(given) {
  const text = plainDigits(given);
  const compact = /(?<!\d)(?!0000)(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)/.exec(text);
  if (compact) return compact.slice(1).join("-");
  const match = /(?<!\d)(?!0000)(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?)?(?!\d)/.exec(text);
  if (!match) return "";
  const [year, month, day] = match.slice(1).map((part) => Number(part ?? 0));
  if (!(month >= 1 && month <= 12)) return match[1];
  const hasDay = day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
  return [match[1], month, ...(hasDay ? [day] : [])].map((part) => String(part).padStart(2, "0")).join("-");
}
