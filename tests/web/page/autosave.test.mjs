// The games that the browser keeps: the oldest goes when there are too many or the storage is full.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteAll, listEntries, readEntry, saveEntry } from "../../../mugo/web/static/core/autosave.js";

function makeStorage() {
  const entries = new Map();
  return {
    capacity: Infinity,
    get length() { return entries.size; },
    key: (i) => [...entries.keys()][i],
    getItem: (key) => entries.get(key) ?? null,
    removeItem: (key) => entries.delete(key),
    setItem(key, text) {
      let size = text.length;
      for (const [other, value] of entries) if (other !== key) size += value.length;
      if (size > this.capacity) throw new DOMException("full", "QuotaExceededError");
      entries.set(key, text);
    },
  };
}

const names = (storage) => listEntries(storage).map(({ id, summary }) => summary?.name ?? id);

test("a thousand games are kept and the oldest goes", () => {
  const storage = makeStorage();
  for (let i = 0; i < 1000; i++) {
    storage.setItem(`mugo-game-${i}`, `${JSON.stringify({ revision: "", saved: i, summary: { name: i } })}\n{}`);
  }
  saveEntry(storage, null, { name: 1000 }, "{}", 1000);
  assert.deepEqual(names(storage), Array.from({ length: 1000 }, (_, i) => 1000 - i));
});

test("a full storage loses its oldest games and a damaged entry is listed", () => {
  const storage = makeStorage();
  storage.setItem("other", "y".repeat(1000));
  for (let i = 0; i < 3; i++) saveEntry(storage, null, { name: i }, "x".repeat(400), i);
  storage.capacity = 2600;
  saveEntry(storage, null, { name: "new" }, "x".repeat(900), 9);
  assert.deepEqual(names(storage), ["new", 2]);
  storage.setItem("mugo-game-damaged", "nonsense");
  assert.deepEqual(names(storage), ["new", 2, "damaged"]);
  assert.throws(() => readEntry(storage, "damaged"), { message: "the game is gone, or cannot be read" });
  deleteAll(storage);
  assert.equal(storage.length, 1);
});
