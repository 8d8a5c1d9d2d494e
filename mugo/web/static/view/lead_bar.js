// The bar next to the board: how much of it is black says who leads.

import { barShare } from "../core/review.js";
import { formatLead, percent } from "../core/texts.js";
import { byId } from "../dom.js";
import { currentValues, isAnalysisHidden } from "../queries.js";

export function renderLeadBar(state) {
  const values = isAnalysisHidden(state) ? null : currentValues(state);
  const bar = byId("lead-bar");
  bar.classList.toggle("unknown", !values);
  if (!values) return;
  const text = values.lead == null ? `Black ${percent(values.win_rate)} %` : formatLead(values.lead).slice(3);
  bar.style.setProperty("--black", `${(100 * barShare(values)).toFixed(1)}%`);
  bar.title = `${text} · Black wins ${percent(values.win_rate)} %`;
  bar.setAttribute("aria-label", `Black wins ${percent(values.win_rate)} %${formatLead(values.lead)}`);
  bar.firstElementChild.textContent = values.lead == null ? `${percent(values.win_rate)}%` : text;
  bar.dataset.leader = (values.lead ?? values.win_rate - 0.5) < 0 ? "white" : "black";
}
