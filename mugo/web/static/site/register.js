// Registers the service worker of a static site once the page can be used, so that what it stores delays nothing.

import { state, subscribe } from "../store.js";

const address = new URL("sw.js", document.baseURI);
let isRegistered = false;
subscribe(() => {
  if (isRegistered || !state.server.isConnected) return;
  isRegistered = true;
  navigator.serviceWorker?.register(address).catch(() => {});      // without one the page needs its web server
});
