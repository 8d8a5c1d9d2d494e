// The tools that edit a position: name -> { title, key, hint }.  Those of marks have the name of their property, those of
// stones their mark.

const POINT = "Click a point; another click removes it.";
const LINE = "Click the first point, then the second, or drag. The same again removes it.";
const STONE = "Click a point; another click removes the stone.";

export const TOOLS = {
  TR: { title: "triangle", key: "t", hint: POINT },
  SQ: { title: "square", key: "q", hint: POINT },
  CR: { title: "circle", key: "c", hint: POINT },
  MA: { title: "cross", key: "x", hint: POINT },
  SL: { title: "selected", key: "f", hint: POINT },
  letter: { title: "letter", key: "l", hint: "Click a point for the next free letter; another click removes it." },
  number: { title: "number", key: "n", hint: "Click a point for the next free number; another click removes it." },
  text: { title: "text label", key: "g", hint: "Click a point, and write its label." },
  LN: { title: "line", key: "i", hint: LINE },
  AR: { title: "arrow", key: "w", hint: LINE },
  TB: { title: "Black’s territory", key: "y", hint: POINT },
  TW: { title: "White’s territory", key: "z", hint: POINT },
  DD: { title: "dimmed", key: "d", hint: "Click a point; it stays dimmed in the moves that follow." },
  X: { title: "black stone", key: "1", hint: STONE },
  O: { title: "white stone", key: "2", hint: STONE },
  ".": { title: "remove stones", key: "3", hint: "Click a stone." },
};

