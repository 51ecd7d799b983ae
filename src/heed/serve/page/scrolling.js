// Two panes that scroll together, each to the same part of its height.

export function followScrolling(...panes) {
  let leader = null;  // the one that the user scrolls
  for (const pane of panes) {
    for (const name of ["pointerenter", "pointerdown", "wheel", "focusin", "keydown"])
      pane.addEventListener(name, () => (leader = pane), {passive: true});
    pane.addEventListener("scroll", () => {
      if (pane !== leader) return;
      const part = pane.scrollTop / (pane.scrollHeight - pane.clientHeight || 1);
      for (const other of panes)
        if (other !== pane) other.scrollTop = part * (other.scrollHeight - other.clientHeight);
    }, {passive: true});
  }
}
