// The connection: a server that closes it while it is not used.
import assert from "node:assert/strict";
import { test } from "node:test";

const sockets = [];
globalThis.location = { protocol: "http:", host: "localhost" };
globalThis.WebSocket = class {
  constructor() { this.sent = []; sockets.push(this); }
  send(text) { this.sent.push(JSON.parse(text)); }
};
const { server } = await import("../../../mugo/web/static/server.js");

test("a request that is on its way when the server closes an idle connection is sent again", async () => {
  server.open();
  sockets[0].onopen();
  const answer = server.request("play", { move: "E5" });
  await server.ready;
  await null;
  assert.equal(sockets[0].sent.length, 1);
  sockets[0].onclose({ reason: "idle" });
  sockets[1].onopen();
  assert.deepEqual(sockets[1].sent, sockets[0].sent);
  sockets[1].onmessage({ data: JSON.stringify({ id: sockets[1].sent[0].id, move: "B E5" }) });
  assert.equal((await answer).move, "B E5");
  sockets[1].onclose({ reason: "idle" });
  assert.equal(sockets.length, 2);                         // it opens again when it is used
});
