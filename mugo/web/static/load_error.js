// Says that a script of the page could not be loaded.  It is not a module, so that it runs then.

addEventListener("error", ({ target }) => {
  if (!(target instanceof HTMLScriptElement)) return;
  const status = document.getElementById("status");
  status.textContent = "A script of this page could not be loaded. Reload the page.";
  status.classList.add("error");
}, true);                                // the event of an element does not bubble
