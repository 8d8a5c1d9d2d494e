// The tabs of the panel.  As the ARIA pattern has it, the arrow keys, Home and End go from tab to tab, and Tab to the panel.

import { setMode } from "../actions/settings.js";
import { byId } from "../dom.js";

const tabs = [...byId("tabs").children];

byId("tabs").onclick = ({ target }) => target.dataset.mode && setMode(target.dataset.mode);
byId("tabs").onkeydown = ({ key, target }) => {
  const at = tabs.indexOf(target);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[key];
  if (next === undefined) return;
  const tab = tabs.at(next % tabs.length);
  setMode(tab.dataset.mode);
  tab.focus();
};
