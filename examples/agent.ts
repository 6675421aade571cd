// A model with tools in ten lines. The model is a script here; `ModelPort` is one function, so that any vendor fits.
import assert from "node:assert/strict";
import { toolBox } from "indusagi/capabilities";
import type { ModelPort } from "indusagi/llm";
import { createAgent } from "indusagi/runtime";

const model: ModelPort = {
  id: "example/scripted",
  async *stream({ messages }) {
    if (messages.at(-1)?.role === "user") {
      yield { kind: "part", part: { kind: "tool_call", id: "1", name: "ls", input: { path: "examples" } } };
      yield { kind: "finish", reason: "tool_calls" };
    } else {
      yield { kind: "part", part: { kind: "text", text: "There is an example of an agent." } };
      yield { kind: "finish", reason: "stop" };
    }
  },
};

// #region agent
const agent = createAgent({ model, box: toolBox("read-only", process.cwd()), system: "Answer briefly." });
for await (const event of agent.send("Which examples are there?")) {
  if (event.kind === "tool_start") console.log(`${event.call.name} ${JSON.stringify(event.sent)}`);
  if (event.kind === "entry" && event.entry.kind === "assistant")
    for (const part of event.entry.content) if (part.kind === "text") console.log(part.text);
  if (event.kind === "end") console.log(event.reason, event.usage);
}
// #endregion

assert.match(JSON.stringify(agent.transcript()), /agent\.ts/);
