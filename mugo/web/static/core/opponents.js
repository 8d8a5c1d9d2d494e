// The opponents of a game: { key, level, group, player, simulations, seconds, strength } each, and what the page says of them.

import { t } from "./texts.js";

const DESCRIPTIONS = {
  random: "playsAnywhere", "uct-100": "readsALittle", "uct-1000": "readsOn", "uct-10000": "readsMuch", "uct-5s": "readsFiveSeconds",
  randompolicy: "playsAsPeople", policy: "playsLikeliest", "mcts-50": "knowsShapeChecks", "mcts-200": "knowsShapeReadsOn",
  "mcts-800": "knowsShapeReadsMuch", "mcts-5s": "knowsShapeFiveSeconds",
};
const PLAYERS = { random: "technicalRandom", uct: "technicalUct", randompolicy: "technicalRandompolicy", policy: "technicalPolicy",
  mcts: "technicalMcts" };
const GROUPS = { go: { reading: "groupReadingGo", intuition: "groupIntuitionGo", both: "groupBoth" },
  gomoku: { reading: "groupReading", intuition: "groupIntuition", both: "groupBoth" } };

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
    there on, or { above: "GNU Go" }. */
export function strengthText({ strength }) {
  if (!strength) return null;
  const { from, to, above } = strength;
  return above ? t("strongerThan", { player: above }) : t(to ? "kyuFromTo" : "kyuOrStronger", { from, to });
}

/** What an opponent does, and what matches have measured: for people. */
export function descriptionText(opponent) {
  const strength = strengthText(opponent);
  return `${t(DESCRIPTIONS[opponent.key])} ${strength ? t("measured", { strength }) : t("strengthNotMeasured")}`;
}

/** 'uct-1000: search only, 1,000 simulations per move'. */
export function technicalText({ key, player, simulations, seconds }) {
  const limit = simulations ? t("simulationsPerMove", { simulations }) : seconds ? t("secondsPerMove", { seconds }) : null;
  return `${key}: ${[t(PLAYERS[player]), limit].filter(Boolean).join(", ")}`;
}
