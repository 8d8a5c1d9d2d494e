// The opponents of a game: { key, level, group, player, simulations, seconds, strength } each, and what the page says of them.

import { t } from "./texts.js";

const DESCRIPTIONS = {
  random: "playsAnywhere", "uct-100": "readsALittle", "uct-200": "readsMore", "uct-400": "readsFurther", "uct-1000": "readsOn",
  "uct-10000": "readsMuch", "uct-5s": "readsFiveSeconds",
  randompolicy: "playsAsPeople", policy: "playsLikeliest", "mcts-10": "knowsShapeGlances", "mcts-50": "knowsShapeChecks",
  "mcts-200": "knowsShapeReadsOn", "mcts-800": "knowsShapeReadsMuch", "mcts-5s": "knowsShapeFiveSeconds",
};
const PLAYERS = { random: "technicalRandom", uct: "technicalUct", randompolicy: "technicalRandompolicy", policy: "technicalPolicy",
  mcts: "technicalMcts" };
const GROUPS = { go: { reading: "groupReadingGo", intuition: "groupIntuitionGo", both: "groupBoth" },
  gomoku: { reading: "groupReading", intuition: "groupIntuition", both: "groupBoth" } };

/** The opponents that the dialog of a new game offers first: the key of a text, and the opponent, or the one of a game
    without a network.  In the first two games of a person mistakes are offered back, from a level of losses.LEVELS on. */
export const PRESETS = [
  { name: "presetFirst", opponents: ["uct-100"], teachingLevel: 4 },
  { name: "presetBeginner", opponents: ["uct-400"], teachingLevel: 4 },
  { name: "presetClub", opponents: ["policy", "uct-10000"] },
  { name: "presetStrong", opponents: ["mcts-800", "uct-5s"] },
];
const BESIDE = ["uct-10000", "uct-5s"];          // the ladder, where a network plays

/** The opponent of a preset in a game; undefined if it has none. */
export const presetOpponent = (preset, opponents) => preset.opponents.find((key) => opponents.some((each) => each.key === key));

/** The opponent on the ladder that is one step stronger (1) or weaker (-1), or the same one (0). */
export function nextOpponent(opponents, key, step) {
  const hasNetwork = opponents.some(({ group }) => group === "both");
  const keys = opponents.map((each) => each.key).filter((each) => each === key || !hasNetwork || !BESIDE.includes(each));
  return keys[keys.indexOf(key) + step] ?? key;
}

/** The preferred opponent, or a default one if the game does not have it. */
export function defaultOpponent(opponents, preferred) {
  const keys = opponents.map(({ key }) => key);
  return [preferred, "mcts-200", "uct-1000"].find((key) => keys.includes(key)) ?? "";
}

/** What the opponents of a group have in common. */
export function groupText({ group }, isGo) {
  const keys = GROUPS[isGo ? "go" : "gomoku"];
  return t(keys[group]);
}

/** How strong an opponent is, "6 to 12 kyu"; null where that is not measured.  strength: { from, to } in kyu, without `to` from
    there on, { above: "GNU Go" }, or { wins: 93, level: 2 }, in per cent. */
export function strengthText({ strength }) {
  if (!strength) return null;
  const { from, to, above, wins, level } = strength;
  if (wins !== undefined) return t("winsAgainstLevel", { wins, level });
  return above ? t("strongerThan", { player: above }) : t(to ? "kyuFromTo" : "kyuOrStronger", { from, to });
}

/** What an opponent does, and what matches have measured: for people. */
export function descriptionText(opponent) {
  const strength = strengthText(opponent);
  return [t(DESCRIPTIONS[opponent.key]), strength && t("measured", { strength })].filter(Boolean).join(" ");
}

/** 'uct-1000: search only, 1,000 simulations per move'. */
export function technicalText({ key, player, simulations, seconds }) {
  const limit = simulations ? t("simulationsPerMove", { simulations }) : seconds ? t("secondsPerMove", { seconds }) : null;
  return `${key}: ${[t(PLAYERS[player]), limit].filter(Boolean).join(", ")}`;
}
