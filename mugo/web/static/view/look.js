// How the page looks, as the settings have it: colours, board, stones, and which tab the panel shows.

import { byId } from "../dom.js";
import { LOOKS } from "../store.js";

export function renderLook({ settings }) {
  const { dataset } = document.documentElement;
  for (const name of Object.keys(LOOKS)) {
    dataset[name] = settings[name];
    document.querySelector(`#settings-dialog [name=${name}][value=${settings[name]}]`).checked = true;
  }
  byId("language").value = settings.language;
  byId("coordinates").checked = settings.coordinates;
  for (const tab of byId("tabs").children) {
    const isSelected = tab.dataset.mode === settings.mode;
    tab.setAttribute("aria-selected", String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !isSelected;
  }
}
