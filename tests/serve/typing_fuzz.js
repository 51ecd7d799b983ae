// Random edits of a text, against a server that this script plays: the page's translation must be
// what the server would answer for the whole text, whatever was kept from before. The body of an
// asynchronous function for browser_test.py; arguments: seed, steps, done(message).
const [firstSeed, steps, done] = arguments;
let seed = firstSeed;
const random = (n) => Math.floor((seed = (seed * 1103515245 + 12345) % 2147483648) / 65536) % n;
const isChinese = (character) => /[\u3000-\u9fff]/.test(character ?? "");

// Sentences end at 。 and at a full stop before a space, but not after "Mr".
function split(text) {
  const sentences = [];
  let begin = 0;
  const end = (at) => {
    const part = text.slice(begin, at);
    if (part.trim() === "") return;
    const before = part.slice(0, part.length - part.trimStart().length);
    sentences.push({before, source: part.trim(), alignment: []});
    begin += part.trimEnd().length;
  };
  for (let i = 0; i < text.length; ++i) {
    const next = text[i + 1];
    if (text[i] === "。" ? next !== "。"
                        : text[i] === "." && text[i - 1] !== "r" && /\s/.test(next ?? "x"))
      end(i + 1);
  }
  end(text.length);
  return {sentences, after: text.slice(begin)};
}

function answerTo(text) {
  const {sentences, after} = split(text);
  let whole = "";
  for (const sentence of sentences) {
    const {source} = sentence;
    sentence.translation = isChinese(source[0]) ?
        `T${source.length}${source.replace(/[^a-z]/g, "")}.` : source.toUpperCase();
    const space = isChinese(sentence.translation[0]) || isChinese(whole.at(-1)) ? "" : " ";
    whole += (whole === "" ? sentence.before : space) + sentence.translation;
  }
  return {text: whole + after, sentences, after};
}

// Streams the sentences in any order, in pieces of any size.
async function playedServer(path, {body, signal}) {
  const translations = JSON.parse(body).text.map(answerTo);
  const events = translations.flatMap(({sentences}, text) => sentences.map(
      (answer, sentence) => ["sentence", {text, sentence, ...answer}]));
  for (let i = events.length - 1; i > 0; --i) {
    const j = random(i + 1);
    [events[i], events[j]] = [events[j], events[i]];
  }
  events.push(["done", {translations}]);
  const bytes = new TextEncoder().encode(events.map(
      ([event, data]) => `event: ${event}\r\ndata: ${JSON.stringify(data)}\r\n\r\n`).join(""));
  let at = 0;
  return new Response(new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (signal.aborted) return controller.error(signal.reason);
      if (at >= bytes.length) return controller.close();
      const size = 1 + random(400);
      controller.enqueue(bytes.slice(at, at += size));
    },
  }));
}

const pieces = ["a b c. ", "Mr. ", "我你。", "\n", " ", "  ", "x", "hello there my friend. ", ".", "。",
                "她很喜欢读书呢我们都。", "word word word word. "];

async function run() {
  const {Translation} = await import("/translation.js");
  const {sentencesOf, translationOf} = await import("/lines.js");
  window.fetch = playedServer;
  let failure = null;
  const translation = new Translation({
    planned() {}, changed() {}, state: (name, details) => (failure = details?.error ?? failure),
    aligns: () => true, visible: () => random(10),
  }, {lines: 5, characters: 60});
  let text = "";
  for (let step = 0; step < steps; ++step) {
    const at = random(text.length + 1);
    const kind = random(4);
    if (kind === 0 && text.length > 200) text = text.slice(0, at) + text.slice(at + random(40));
    else if (kind === 1) text += pieces[random(pieces.length)];
    else text = text.slice(0, at) + pieces[random(pieces.length)] + text.slice(at);
    if (text.length > 600) text = text.slice(random(400));
    const finished = translation.translate(text, {source: "zh", target: "en"}, {});
    if (random(3) > 0) continue;  // the next edit comes before the answer
    await finished;
    if (failure) return String(failure);
    for (const line of translation.lines) {
      const source = sentencesOf(line).map((one) => one.before + one.source).join("") + line.after;
      const expected = answerTo(line.text).text;
      if (!line.complete || source !== line.text || translationOf(line) !== expected)
        return JSON.stringify([line.text, source, translationOf(line), expected]);
    }
  }
  return "";
}
run().catch(String).then(done);
