// The fields of the settings, as the state has them, and the look of the page that follows from them.

import { LEVELS } from "../core/losses.js";
import { formatLead, joined, language, percent, rankName, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { hasNetwork, isAnalysisHidden, overlayName, peopleRank, searchPlayer } from "../queries.js";
import { LOOKS } from "../store.js";

const OFFERED_LEVELS = [2, 3, 4, 5];             // of LEVELS: those from which on a move can be offered back
let listed = {};                                 // the planes and the ranks that are listed, and the language

/** What needs no game: the look, the tab of the panel, and the fields with data-setting. */
export function renderLook({ settings }) {
  const { dataset } = document.documentElement;
  for (const name of Object.keys(LOOKS)) dataset[name] = settings[name];
  for (const field of document.querySelectorAll("[data-setting]")) {
    const value = settings[field.dataset.setting];
    if (field.disabled) continue;                // it shows what holds instead
    if (field.type === "radio") field.checked = field.value === value;
    else if (field.type === "checkbox") field.checked = value;
    else field.value = value;
  }
  byId("language").value = settings.language;
  document.querySelector("main").dataset.mode = settings.mode;
  for (const tab of byId("tabs").children) {
    const isSelected = tab.dataset.value === settings.mode;
    tab.setAttribute("aria-selected", String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !isSelected;
  }
}

export function renderSettings(state) {
  const { settings, server, game, at } = state;
  const planes = server.planes[game.isGo ? "go" : "gomoku"] ?? [];
  if (planes !== listed.planes || game.ranks !== listed.ranks || language !== listed.language) {
    listed = { planes, ranks: game.ranks, language };
    byId("people-rank").max = game.ranks.length - 1;
    byId("plane").replaceChildren(...planes.map((plane, i) => new Option(plane, i)));
    byId("teaching-level").replaceChildren(...OFFERED_LEVELS.map((level) =>
      new Option(t("pointsOrPercent", { points: LEVELS.lead[level - 1], percent: 100 * LEVELS.win_rate[level - 1] }), level)));
    byId("plane").value = settings.plane;
    byId("teaching-level").value = settings.teachingLevel;
  }
  document.querySelector(`[name=overlay][value=${at.overlay ?? settings.overlay}]`).checked = true;
  document.querySelector("#overlays .people").hidden = !game.ranks.length;
  byId("people-field").hidden = overlayName(state) !== "people";
  showRank(state);
  byId("plane").hidden = overlayName(state) !== "plane";
  byId("raw-values").textContent = isAnalysisHidden(state) ? "" : rawValues(game.node);
  byId("teaching-level").disabled = !settings.teaching;
  byId("search-player").value = searchPlayer(state);
  byId("search-player").querySelector("[value=mcts]").disabled = !hasNetwork(state);
}

/** The slider of ranks, from the weakest to the strongest that the network knows. */
function showRank(state) {
  const rank = peopleRank(state);
  if (!rank) return;
  byId("people-rank").value = state.game.ranks.indexOf(rank);
  byId("people-rank").setAttribute("aria-valuetext", rankName(rank));
  byId("people-rank-name").textContent = rankName(rank);
}

/** What the network says of the position without a search. */
function rawValues({ value, value_lead: lead, policy }) {
  const winRate = policy?.win_rate ?? value;
  if (winRate == null) return "";
  return t("networkAlone", { value: joined(t("blackWins", { rate: percent(winRate, 1) }), formatLead(policy?.lead ?? lead)) });
}
