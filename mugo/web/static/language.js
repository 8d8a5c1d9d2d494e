// The texts of the page, as soon as they are there: this module and the few that it imports run before main.js is loaded.

import { setLanguage } from "./core/texts.js";
import { LANGUAGE_KEY, translatePage } from "./dom.js";

let stored = null;
try {
  stored = localStorage.getItem(LANGUAGE_KEY);
} catch {
  // storage is forbidden
}
setLanguage(stored, navigator.languages);
translatePage();
