// The bar next to the board: how much of it is black says who leads.

import { barShare } from "../core/review.js";
import { formatLead, joined, percent, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { currentValues, isAnalysisHidden } from "../queries.js";

export function renderLeadBar(state) {
  const values = isAnalysisHidden(state) ? null : currentValues(state);
  const bar = byId("lead-bar");
  bar.classList.toggle("unknown", !values);
  if (!values) return;
  const rate = percent(values.win_rate);
  const lead = formatLead(values.lead);
  bar.style.setProperty("--black", `${(100 * barShare(values)).toFixed(1)}%`);
  bar.title = joined(lead || t("blackPercent", { rate }), t("blackWins", { rate }));
  bar.setAttribute("aria-label", joined(t("blackWins", { rate }), lead));
  bar.firstElementChild.textContent = lead || `${rate}%`;
  bar.dataset.leader = (values.lead ?? values.win_rate - 0.5) < 0 ? "white" : "black";
}
