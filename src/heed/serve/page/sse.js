// Server-sent events from the body of a fetch(): EventSource can neither POST nor be aborted with
// the request.

// Parses complete lines of the stream; feed() returns the events that they complete.
export class EventParser {
  #rest = "";
  #event = "";
  #data = [];

  feed(text) {
    const events = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (this.#data.length > 0)
          events.push({event: this.#event || "message", data: this.#data.join("\n")});
        this.#event = "";
        this.#data = [];
        continue;
      }
      const colon = line.indexOf(":");
      if (colon === 0) continue;  // a comment, which keeps the connection alive
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") this.#event = value;
      else if (field === "data") this.#data.push(value);
    }
    return events;
  }
}

// The events of a response as they arrive: {event, data}, data as JSON.
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  try {
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      for (const {event, data} of parser.feed(value)) yield {event, data: JSON.parse(data)};
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
