// An agent in Node without any package: fetch, one tool, and a loop. Needs Node 18 or newer.
import { readFileSync } from "node:fs";

const parameters = { type: "object", properties: { url: { type: "string" } }, required: ["url"] };
const tool = { name: "read_page", description: "The text of a web page.", parameters };

async function readPage({ url }) {
  try {
    return (await (await fetch(url)).text()).slice(0, 20000);
  } catch (error) {
    return `cannot be read: ${error.cause ?? error}`;
  }
}

async function ask(messages) {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, GAIA_MODEL } = process.env; // the key is a dummy: the real one is put in outside
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: GAIA_MODEL, messages, tools: [{ type: "function", function: tool }] }),
  });
  if (!response.ok) throw new Error(`the model's server answered ${response.status}: ${await response.text()}`);
  return (await response.json()).choices[0].message;
}

const messages = [
  { role: "system", content: "Answer the question. End with one line: FINAL ANSWER: your answer" },
  { role: "user", content: readFileSync(0, "utf8") },
];
for (let turn = 0; turn < 20; turn++) {
  const message = await ask(messages);
  messages.push(message);
  if (!message.tool_calls?.length) {
    console.log(message.content);
    break;
  }
  for (const call of message.tool_calls) {
    const content = await readPage(JSON.parse(call.function.arguments));
    messages.push({ role: "tool", tool_call_id: call.id, content });
  }
}
