// On the home page the index of the search, larger than all the rest, waits until somebody goes to the search.
"use strict";

var __search = {
  index: new Promise((resolve, reject) => {
    const load = () => fetch("search/search_index.json").then(response => response.json()).then(resolve, reject);
    const inSearch = event => event.target.closest?.("[data-md-component='search']");
    if (new URLSearchParams(location.search).has("q")) load();
    else document.addEventListener("focusin", function first(event) {
      if (!inSearch(event)) return;
      document.removeEventListener("focusin", first);
      load();
    });
  }),
};
