// The tools that edit a position: name -> { title, key, hint }; title and hint are keys of texts.  Those of marks have the name
// of their property, those of stones their mark.

export const TOOLS = {
  TR: { title: "triangle", key: "t", hint: "hintPoint" },
  SQ: { title: "square", key: "q", hint: "hintPoint" },
  CR: { title: "circle", key: "c", hint: "hintPoint" },
  MA: { title: "cross", key: "x", hint: "hintPoint" },
  SL: { title: "selected", key: "f", hint: "hintPoint" },
  letter: { title: "letter", key: "l", hint: "hintLetter" },
  number: { title: "number", key: "n", hint: "hintNumber" },
  text: { title: "textLabel", key: "g", hint: "hintText" },
  LN: { title: "line", key: "i", hint: "hintLine" },
  AR: { title: "arrow", key: "w", hint: "hintLine" },
  TB: { title: "blacksTerritory", key: "y", hint: "hintPoint" },
  TW: { title: "whitesTerritory", key: "z", hint: "hintPoint" },
  DD: { title: "dimmed", key: "d", hint: "hintDimmed" },
  X: { title: "blackStone", key: "1", hint: "hintStone" },
  O: { title: "whiteStone", key: "2", hint: "hintStone" },
  ".": { title: "removeStones", key: "3", hint: "hintRemove" },
};
