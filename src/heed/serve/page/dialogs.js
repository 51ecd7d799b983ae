// Dialogs: they close by Esc, by their close button, and by a press beside them.

export function prepareDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
    });
  }
}

// Asks for the API key; resolves to null if the user closes the dialog.
export function askForKey(message) {
  const dialog = document.getElementById("key-dialog");
  const form = document.getElementById("key-form");
  const field = document.getElementById("key");
  document.getElementById("key-error").textContent = message;
  field.value = "";
  let key = null;
  const submit = (event) => {
    event.preventDefault();
    key = field.value.trim() || null;
    dialog.close();
  };
  form.addEventListener("submit", submit);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      form.removeEventListener("submit", submit);
      resolve(key);
    }, {once: true});
  });
}
