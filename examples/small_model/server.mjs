// A small local model as an OpenAI-compatible server, on this machine only:
//   node server.mjs MODEL.gguf [PORT]        PORT 0 or none: any free one. The address is printed as one line.
// Answers POST /v1/chat/completions and GET /v1/models. One request at a time, each held to its JSON schema.
import { createServer } from "node:http";
import { basename } from "node:path";
import { getLlama, LlamaChatSession } from "node-llama-cpp";

const [modelPath, port = "0"] = process.argv.slice(2);
const THREADS = Number(process.env.SMALL_MODEL_THREADS ?? 1); // more of them wait for each other on a busy machine
const CONTEXT_TOKENS = Number(process.env.SMALL_MODEL_CONTEXT ?? 4096);
const MAX_TOKENS = 256; // where a request sets no limit: an action is a few dozen
const MAX_BODY_BYTES = 4 * 1024 * 1024; // a full prompt is a few dozen kilobytes

const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });
const model = await llama.loadModel({ modelPath });
const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: THREADS });
const sequence = context.getSequence();
const name = basename(modelPath, ".gguf");

class Refusal extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

// The grammar generator knows oneOf, and repeats a part as often as a limit says: a large limit makes a huge grammar.
function simplified(schema) {
  if (Array.isArray(schema)) return schema.map(simplified);
  if (schema === null || typeof schema !== "object") return schema;
  return Object.fromEntries(Object.entries(schema)
    .filter(([key, value]) => !(/^(min|max)(Length|Items)$/.test(key) && typeof value === "number"))
    .map(([key, value]) => [key === "anyOf" ? "oneOf" : key, simplified(value)]));
}

async function grammarOf(format) {
  try {
    if (format?.type === "json_object") return await llama.getGrammarFor("json");
    if (format?.type === "json_schema") return await llama.createGrammarForJsonSchema(simplified(format.json_schema.schema));
  } catch (error) {
    throw new Refusal(400, `response_format: ${error.message}`);
  }
}

async function complete(body) {
  const messages = body.messages?.map(({ role, content }) => ({ role, text: typeof content === "string" ? content
    : content.map((part) => part.text ?? "").join("") })) ?? [];
  const last = messages.pop();
  if (last?.role !== "user") throw new Refusal(400, "messages: the last one must be the user's");
  const session = new LlamaChatSession({ contextSequence: sequence, autoDisposeSequence: false });
  session.setChatHistory(messages.map(({ role, text }) =>
    role === "assistant" ? { type: "model", response: [text] } : { type: role, text }));
  const before = sequence.tokenMeter.getState();
  try {
    const { responseText, stopReason } = await session.promptWithMeta(last.text, {
      grammar: await grammarOf(body.response_format), maxTokens: body.max_tokens ?? MAX_TOKENS,
      temperature: body.temperature ?? 0, seed: body.seed ?? 0, trimWhitespaceSuffix: true });
    const spent = sequence.tokenMeter.diff(before);
    const prompt = Math.max(sequence.contextTokens.length - spent.usedOutputTokens, spent.usedInputTokens);
    return { id: `small-${Date.now()}`, object: "chat.completion", created: Math.floor(Date.now() / 1000), model: name,
      choices: [{ index: 0, finish_reason: stopReason === "maxTokens" ? "length" : "stop",
        message: { role: "assistant", content: responseText } }],
      usage: { prompt_tokens: prompt, completion_tokens: spent.usedOutputTokens,
        total_tokens: prompt + spent.usedOutputTokens,
        prompt_tokens_details: { cached_tokens: prompt - spent.usedInputTokens } } };
  } finally { session.dispose(); }
}

let turn = Promise.resolve(); // requests wait here for the one before
async function answer(request) {
  if (request.url === "/v1/models") return { object: "list", data: [{ id: name, object: "model", owned_by: "local" }] };
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") throw new Refusal(404, "no such address");
  let text = "";
  for await (const chunk of request) if ((text += chunk).length > MAX_BODY_BYTES) throw new Refusal(413, "too long");
  try { text = JSON.parse(text); } catch { throw new Refusal(400, "the body is no JSON"); }
  return (turn = turn.catch(() => {}).then(() => complete(text)));
}

const server = createServer((request, response) => answer(request).then((value) => [200, value],
  (error) => [error.status ?? 500, { error: { message: error.message, type: "invalid_request_error" } }])
  .then(([status, value]) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))));
server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(0));
