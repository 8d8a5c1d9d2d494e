// The statistics of a reviewed line: two columns, and how many mistakes each side has of each level.

import { LISTED_LEVEL, formatLoss, levelNames } from "../core/losses.js";
import { PHASES } from "../core/review.js";
import { formatNumber, t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import { draw } from "./board.js";

/** found: of review.statistics.  Phases only where the game has them. */
export function renderStatistics(found, unit, hasPhases) {
  const sides = [found.B, found.W];
  const inPercent = (value) => format(value, () => `${formatNumber(value, 0)} %`);
  const meanName = t(unit === "lead" ? "meanLossPoints" : "meanLossPercent");
  const rows = [
    [t("accuracy"), ...sides.map(({ accuracy }) => inPercent(accuracy))],
    ...(hasPhases ? PHASES.map((name, i) => [t(name), ...sides.map(({ phases }) => inPercent(phases[i].accuracy))]) : []),
    [t("muGosChoice"), ...sides.map(({ agreement }) => inPercent(agreement === null ? null : 100 * agreement))],
    [meanName, ...sides.map(({ meanLoss }) => format(meanLoss, () => formatLoss(meanLoss, unit)))],
    [t("moves"), ...sides.map(({ moves }) => String(moves))],
  ];
  updateChildren(byId("statistics-table").tBodies[0], rows.map(([name, ...cells], i) => {
    const row = document.createElement("tr");
    row.append(Object.assign(document.createElement("th"), { scope: "row", textContent: name }));
    if (hasPhases && i > 0 && i <= PHASES.length) row.className = "phase";
    for (const text of cells) row.insertCell().textContent = text;
    return row;
  }));
  const most = Math.max(1, ...sides.flatMap(({ levels }) => levels));
  updateChildren(byId("distribution").tBodies[0], levelNames().map((name, i) => {
    const level = LISTED_LEVEL + i;
    const row = document.createElement("tr");
    row.append(Object.assign(document.createElement("th"),
      { scope: "row", textContent: name, className: `loss-text level-${level}` }));
    for (const { levels } of sides) {
      const cell = row.insertCell();
      const bar = draw("rect", { width: (100 * levels[i] / most).toFixed(1), height: 10, class: `level-${level}` });
      const frame = draw("svg", { class: "bar", viewBox: "0 0 100 10", "aria-hidden": "true" }, bar);
      cell.append(frame, String(levels[i]));
    }
    return row;
  }));
}

const format = (value, text) => (value === null ? "–" : text());
