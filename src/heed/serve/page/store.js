// JSON values in the browser's storage. Storage that is off, full or damaged reads as empty: the
// page works without it.

const read = (storage, name, fallback) => {
  try {
    return JSON.parse(window[storage].getItem("heed." + name)) ?? fallback;
  } catch {
    return fallback;
  }
};

const write = (storage, name, value) => {
  try {
    if (value === null) window[storage].removeItem("heed." + name);
    else window[storage].setItem("heed." + name, JSON.stringify(value));
  } catch {
    // The value is lost with the page.
  }
};

// Until the user deletes it.
export const load = (name, fallback = null) => read("localStorage", name, fallback);
export const save = (name, value) => write("localStorage", name, value);

// Until the tab is closed.
export const loadForTab = (name) => read("sessionStorage", name, null);
export const saveForTab = (name, value) => write("sessionStorage", name, value);
