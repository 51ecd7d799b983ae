// Requests to the server's API, and the key that it may ask for.

import {eventsOf} from "./sse.js";
import {loadForTab, saveForTab} from "./store.js";

// The server answered with an error. `wait`: seconds after which it asks to be tried again, or null.
export class HttpError extends Error {
  constructor(status, message, wait = null) {
    super(message);
    this.status = status;
    this.wait = wait;
  }
}

// No answer, or half of one.
export class ConnectionError extends Error {}

let askForKey = async () => null;
let asking = null;

// `ask(message)` resolves to the key that the user gave, or null. It is called when the server
// refuses a request for lack of a valid key.
export function onKeyNeeded(ask) {
  askForKey = ask;
}

// All requests that fail for the lack of a key wait for the same question.
async function newKey(message) {
  asking ??= askForKey(message).finally(() => (asking = null));
  const key = await asking;
  if (key) saveForTab("key", key);
  return key;
}

async function errorOf(response) {
  let message = `HTTP ${response.status}`;
  try {
    message = (await response.json()).error ?? message;
  } catch {
    // Not the server's own answer but a proxy's, say.
  }
  const seconds = Number.parseFloat(response.headers.get("Retry-After") ?? "");
  const busy = response.status === 429 || response.status === 503;
  return new HttpError(response.status, message, busy ? (seconds >= 0 ? seconds : 2) : null);
}

async function request(path, body, signal) {
  for (;;) {
    const key = loadForTab("key");
    const headers = body ? {"Content-Type": "application/json"} : {};
    if (key) headers.Authorization = `Bearer ${key}`;
    let response;
    try {
      response = await fetch(path, {
        method: body ? "POST" : "GET", body: body && JSON.stringify(body), headers, signal,
        cache: "no-store", credentials: "same-origin",
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ConnectionError(error.message);
    }
    if (response.ok) return response;
    const error = await errorOf(response);
    if (response.status !== 401 && response.status !== 403) throw error;
    // Another request may have been given a key meanwhile.
    if (loadForTab("key") === key && !(await newKey(key ? error.message : ""))) throw error;
    signal?.throwIfAborted();
  }
}

async function read(response, kind) {
  try {
    return await response[kind]();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ConnectionError(error.message);
  }
}

const json = async (path, body, signal) => read(await request(path, body, signal), "json");

// Resolves after some seconds; rejected if the signal is aborted before.
export const pause = (seconds, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, 1000 * seconds);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, {once: true});
});

export const languages = () => json("languages");
export const models = () => json("v1/models");
// The results of texts, by a model whose path is "/v1/tag" or another.
export const results = (path, body, signal) => json(path.slice(1), body, signal);
export const frontendSettings = () => json("frontend/settings");
export const detect = (text, signal) => json("detect", {q: text}, signal);
// A page, as HTML.
export const attention = async (body, signal) => read(await request("v1/attention", body, signal), "text");
export const translateDocument = (body) => json("translate", body);
export const translate = (body, signal) => json("v1/translate", body, signal);

// Yields the events of a streamed translation. The last one is "done": a stream that ends without
// it is a ConnectionError, one with "error" an HttpError.
export async function* translateStream(body, signal) {
  const response = await request("v1/translate", {...body, stream: true}, signal);
  try {
    for await (const {event, data} of eventsOf(response)) {
      if (event === "error") throw new HttpError(500, data.error);
      yield {event, data};
      if (event === "done") return;
    }
  } catch (error) {
    if (error instanceof HttpError || error.name === "AbortError") throw error;
    signal?.throwIfAborted();
    throw new ConnectionError(error.message);
  }
  signal?.throwIfAborted();
  throw new ConnectionError("incomplete answer");
}
