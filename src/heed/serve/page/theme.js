// Sets the chosen theme before the page is first drawn: a classic script, since modules run only after the page was parsed.
(() => {
  try {
    const {theme} = JSON.parse(localStorage.getItem("heed.settings") ?? "{}");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is off or damaged: the system's theme.
  }
})();
