// The server, whichever way it is reached.  A request has one answer; a search sends progress before its last answer.

import { t } from "./core/texts.js";
import { openSocket } from "./transport.js";

class Connection {
  onHello(message) {}                    // called with the server's first message; controls/server.js replaces it
  onLost(reason) {}                      // called when the connection is lost, with the server's words or ""; likewise
  onLoading(network) {}                  // called in a static site while a network is loaded: its bytes, or null; likewise

  constructor() {
    this.connect = openSocket;           // of transport.js
    this.pending = new Map();            // id of a request -> { resolve, reject, onProgress }
    this.lastId = 0;
    this.delay = 500;                    // milliseconds before the next attempt to connect
  }

  get isWorker() { return this.connect !== openSocket; }

  open() {
    this.ready = this.connect((answer) => this.receive(answer), (reason) => this.handleClose(reason));
    this.ready.catch(() => {});
  }

  handleClose(reason) {
    for (const { reject } of this.pending.values()) reject(new Error(reason || t("connectionLost")));
    this.pending.clear();
    this.ready = Promise.reject(new Error(t("noAnswer")));
    this.ready.catch(() => {});
    this.onLost(reason);
    setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(2 * this.delay, 10_000);
  }

  receive(answer) {
    if (answer.hello) {
      this.delay = 500;
      this.onHello(answer);
      return;
    }
    if (answer.network !== undefined) this.onLoading(answer.network);
    const request = this.pending.get(answer.id);
    if (!request) return;
    if (answer.error) {
      this.pending.delete(answer.id);
      request.reject(new Error(answer.error));
    } else if (!request.onProgress || answer.done) {
      this.pending.delete(answer.id);
      request.resolve(answer);
    } else {
      request.onProgress(answer);
    }
  }

  /** Let the server read a file of game records, bytes; resolves with its game, or with the list of its games. */
  load(bytes, fields = {}) {
    let binary = "";
    for (let i = 0; i < bytes.length; i += 4096) binary += String.fromCharCode(...bytes.subarray(i, i + 4096));
    return this.request("load", { data: btoa(binary), ...fields });
  }

  /** Send a request; resolves with its last answer, and throws the server's error.
      onProgress: for a search, which cancels the previous one; called with each earlier answer. */
  async request(command, fields = {}, onProgress = null) {
    const connection = await this.ready;
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, onProgress });
      connection.send({ id, command, ...fields });
    });
  }
}

export const server = new Connection();  // controls/server.js opens it
