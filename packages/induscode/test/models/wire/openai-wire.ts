import { callProblem, isRecord, type JsonRecord, parsedJson, schemaProblem } from "./checks.ts";
import type { ScriptedAnswer, Wire } from "./script.ts";

/** The chat completions of OpenAI and of everything that speaks like it. */
export const openaiWire: Wire = {
  takes: (path) => path.endsWith("/chat/completions"),
  refusal: (body) =>
    problemOfMessages(list(body["messages"])) ??
    problemOfTools(list(body["tools"])) ??
    problemOfSettings(body),
  events: (answer) => [
    ...chunksOf(answer).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
    "data: [DONE]\n\n",
  ],
  error: (status, message) => ({
    error: { message, type: status === 429 ? "rate_limit_error" : "invalid_request_error" },
  }),
};

const NAMES = /^[a-zA-Z0-9_-]{1,64}$/;
const ROLES = ["system", "developer", "user", "assistant", "tool"];

function problemOfMessages(messages: readonly JsonRecord[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    const role = String(message["role"]);
    if (!ROLES.includes(role)) return `unknown role ${role}`;
    if (role === "tool") {
      const id = String(message["tool_call_id"]);
      if (!open.includes(id)) return `tool message without its call: ${id}`;
      open = open.filter((one) => one !== id);
    } else if (open.length > 0) return `calls without an answer: ${open.join(", ")}`;
    if (role !== "assistant") continue;
    const calls = list(message["tool_calls"]);
    open = calls.map(({ id }) => String(id));
    for (const { function: called } of calls) {
      const { name, arguments: input } = called as JsonRecord;
      const problem = callProblem(name, parsedJson(input), NAMES);
      if (problem !== undefined) return problem;
    }
  }
  return open.length > 0 ? `calls without an answer: ${open.join(", ")}` : undefined;
}

function problemOfTools(tools: readonly JsonRecord[]): string | undefined {
  if (tools.length > 128) return `array too long: tools has ${tools.length}, at most 128`;
  for (const tool of tools) {
    const { name, parameters } = tool["function"] as JsonRecord;
    if (!NAMES.test(String(name))) return `invalid tool name ${String(name)}`;
    const problem = schemaProblem(parameters, { forbidden: ["oneOf", "anyOf", "allOf"] });
    if (problem !== undefined) return `${String(name)}: ${problem}`;
  }
  return undefined;
}

function problemOfSettings({ stream, model, reasoning_effort: effort }: JsonRecord): string | undefined {
  if (stream !== true) return "this server only streams";
  const known: readonly unknown[] = String(model).startsWith("gpt-4") ? [] : ["low", "medium", "high"];
  return effort === undefined || known.includes(effort)
    ? undefined
    : `unsupported value of reasoning_effort: ${JSON.stringify(effort)}`;
}

function chunksOf({
  text = "",
  reasoning,
  calls = [],
  rawInput,
  usage,
  finish,
}: ScriptedAnswer): JsonRecord[] {
  const chunk = (delta: JsonRecord, finishReason: string | null = null): JsonRecord => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  const callChunks = calls.flatMap(({ id, name, input }, index) => {
    const text = rawInput ?? JSON.stringify(input);
    const half = Math.ceil(text.length / 2);
    return [
      chunk({
        tool_calls: [{ index, id, type: "function", function: { name, arguments: text.slice(0, half) } }],
      }),
      chunk({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
    ];
  });
  const reason = calls.length > 0 ? "tool_calls" : (finish ?? "stop");
  return [
    chunk({ role: "assistant", content: "" }),
    ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
    ...(text.match(/[\s\S]{1,7}/g) ?? []).map((piece) => chunk({ content: piece })),
    ...callChunks,
    chunk({}, reason),
    ...(usage ? [{ ...chunk({}), choices: [], usage: usageOf(usage) }] : []),
  ];
}

function usageOf({ input, output, cached = 0 }: NonNullable<ScriptedAnswer["usage"]>): JsonRecord {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function list(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
