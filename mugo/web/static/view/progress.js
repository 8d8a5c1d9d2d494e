// The dialog with the person's progress: a graph and a table of the games that the browser keeps.

import { formatLoss } from "../core/losses.js";
import { colourName, formatNumber, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { nameText } from "../queries.js";
import { draw } from "./board.js";

const [WIDTH, HEIGHT, EDGE] = [600, 130, 30];

/** games: the oldest first, { date, summary, own }; own: of progress.ownStatistics.  left: how many others there are. */
export function renderProgress(state, games, left) {
  byId("progress-table").hidden = !games.length;
  byId("progress-graph").toggleAttribute("hidden", games.length < 2);
  byId("progress-table").tBodies[0].replaceChildren(...games.toReversed().map(({ date, summary, own }) => {
    const row = document.createElement("tr");
    const loss = `${formatLoss(own.meanLoss, own.unit)}${own.unit === "lead" ? "" : " %"}`;
    const game = [summary?.size, nameText(state, own.opponent)].filter(Boolean).join(", ");
    for (const text of [date, game, colourName(own.colour), `${formatNumber(own.accuracy, 0)} %`, loss, own.moves]) {
      row.insertCell().textContent = text;
    }
    return row;
  }));
  byId("progress-note").textContent = games.length ? otherText(left)
    : t("noProgress");
  if (games.length > 1) drawGraph(games.map(({ own }) => own.accuracy));
}

const otherText = (left) => (left ? t("otherGames", { count: left }) : "");

function drawGraph(accuracies) {
  const least = Math.min(90, 10 * Math.floor(Math.min(...accuracies) / 10));
  const x = (i) => EDGE + (WIDTH - EDGE - 12) * i / (accuracies.length - 1);
  const y = (value) => 10 + (HEIGHT - 30) * (100 - value) / (100 - least);
  const points = accuracies.map((value, i) => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`);
  const grid = [least, 100].flatMap((value) => [
    draw("path", { d: `M${EDGE} ${y(value)}H${WIDTH - 12}`, class: "grid-line" }),
    draw("text", { x: EDGE - 5, y: y(value), class: "y-label" }, String(value))]);
  byId("progress-graph").replaceChildren(...grid,
    draw("path", { d: `M${points.join("L")}`, class: "win-rates" }),
    ...accuracies.map((value, i) => draw("circle", { cx: x(i), cy: y(value), r: 4 })));
}
