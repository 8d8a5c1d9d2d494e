// The languages of the page, one line each: the tag of the language (BCP 47), and its file.

export { default as de } from "./de.js";
export { default as en } from "./en.js";
