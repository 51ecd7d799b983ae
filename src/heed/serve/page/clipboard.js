// Writes to the clipboard. Pages that came over plain HTTP from another machine have only the old
// way, which copies what is selected.

export async function copyText(content) {
  if (navigator.clipboard) return navigator.clipboard.writeText(content);
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.className = "hidden";
  area.value = content;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  focused?.focus();
  if (!copied) throw new Error("copy");
}
