// Texts for people: colours, results, scores, leads and counts.

export const COLOUR_NAMES = { B: "Black", W: "White" };

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** An error of the server as a sentence. */
export const sentence = (error) => `${capital(error)}.`;

/** 'B Q16' -> 'Black played Q16.' */
export function moveText(move) {
  const [colour, vertex] = move.split(" ");
  return `${COLOUR_NAMES[colour]} ${vertex === "pass" ? "passed" : `played ${vertex}`}.`;
}

/** 'B+3.5' -> 'Black wins by 3.5'. */
export function resultText(result) {
  if (result === "0") return "A draw";
  const how = { R: "by resignation", T: "on time", F: "by forfeit", "": "" }[result.slice(2)] ?? `by ${result.slice(2)}`;
  return `${COLOUR_NAMES[result[0]]} wins ${how}`.trim();
}

export function scoreText({ result, points, prisoners, komi, handicap_bonus: bonus }) {
  const handicap = bonus ? ` + ${bonus} for handicap stones` : "";
  const counted = (colour) => points[colour] + (prisoners ? ` (${points[colour] - prisoners[colour]} territory, ` +
    `${prisoners[colour]} prisoner${prisoners[colour] === 1 ? "" : "s"})` : "");
  return `${resultText(result)}: Black ${counted("B")}, White ${counted("W")} + ${komi}${handicap}. Click a chain to mark it dead or alive.`;
}

/** Who leads, as ' · W+3.5'; '' where the lead is not known. */
export function formatLead(lead) {
  return lead == null ? "" : ` · ${lead < 0 ? "W" : "B"}+${Math.abs(lead).toFixed(1)}`;
}

/** 1234 -> '1.2k'. */
export function formatCount(count) {
  if (count < 1000) return String(count);
  if (count < 1e6) return `${(count / 1e3).toFixed(count < 1e4 ? 1 : 0)}k`;
  return `${(count / 1e6).toFixed(1)}m`;
}

export const percent = (share, digits = 0) => (100 * share).toFixed(digits);
