import { callProblem, isRecord, type JsonRecord, schemaProblem } from "./checks.ts";
import type { ScriptedAnswer, Wire } from "./script.ts";

/** The messages of Anthropic. */
export const anthropicWire: Wire = {
  takes: (path) => path.endsWith("/messages"),
  refusal: (body, headers) =>
    headers["anthropic-version"] === undefined
      ? "anthropic-version: header is required"
      : (problemOfMessages(list(body["messages"])) ??
        problemOfTools(list(body["tools"])) ??
        problemOfMarks(body) ??
        problemOfThinking(body)),
  events: (answer) =>
    eventsOf(answer).map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`),
  error: (status, message) => ({
    type: "error",
    error: { type: status === 529 ? "overloaded_error" : "invalid_request_error", message },
  }),
};

const NAMES = /^[a-zA-Z0-9_-]{1,128}$/;

function problemOfMessages(messages: readonly JsonRecord[]): string | undefined {
  if (messages[0]?.["role"] !== "user") return "the first message must be the user's";
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? "user" : "assistant"))
      return "roles must alternate between user and assistant";
    const blocks = list(content);
    if (blocks.length === 0) return "a message must not be empty";
    const answered = blocks
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id: id }) => String(id));
    const foreign = answered.find((id) => !open.includes(id));
    if (foreign !== undefined) return `tool_result without its tool_use: ${foreign}`;
    const missing = open.find((id) => !answered.includes(id));
    if (missing !== undefined) return `tool_use without tool_result in the next message: ${missing}`;
    const calls = blocks.filter(({ type }) => type === "tool_use");
    open = calls.map(({ id }) => String(id));
    for (const { name, input } of calls) {
      const problem = callProblem(name, input, NAMES);
      if (problem !== undefined) return problem;
    }
    const unsigned = blocks.find(({ type, signature }) => type === "thinking" && signature === undefined);
    if (unsigned) return "thinking without its signature";
  }
  return undefined;
}

function problemOfTools(tools: readonly JsonRecord[]): string | undefined {
  for (const { name, input_schema: schema } of tools) {
    if (!NAMES.test(String(name))) return `invalid tool name ${String(name)}`;
    const problem = schemaProblem(schema, { forbidden: ["oneOf", "anyOf", "allOf"] });
    if (problem !== undefined) return `${String(name)}: ${problem}`;
  }
  return undefined;
}

function problemOfMarks(body: JsonRecord): string | undefined {
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  return marks > 4 ? `at most 4 blocks may have cache_control, found ${marks}` : undefined;
}

function problemOfThinking({ thinking, max_tokens: max }: JsonRecord): string | undefined {
  if (!isRecord(thinking) || thinking["type"] !== "enabled") return undefined;
  const budget = Number(thinking["budget_tokens"]);
  return budget >= 1024 && budget < Number(max)
    ? undefined
    : `thinking.budget_tokens must be from 1024 to less than max_tokens, found ${budget}`;
}

function eventsOf(answer: ScriptedAnswer): JsonRecord[] {
  const { usage = { input: 1, output: 1 }, finish, calls = [] } = answer;
  const blocks = blocksOf(answer);
  return [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "scripted",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input - (usage.cached ?? 0),
          cache_read_input_tokens: usage.cached ?? 0,
          output_tokens: 1,
        },
      },
    },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: {
        stop_reason: calls.length > 0 ? "tool_use" : finish === "length" ? "max_tokens" : "end_turn",
        stop_sequence: null,
      },
      usage: { output_tokens: usage.output },
    },
    { type: "message_stop" },
  ];
}

interface Block {
  readonly start: JsonRecord;
  readonly deltas: readonly JsonRecord[];
}

function blocksOf({ text, reasoning, calls = [], rawInput }: ScriptedAnswer): readonly Block[] {
  const thinking: Block[] =
    reasoning === undefined
      ? []
      : [
          {
            start: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              { type: "thinking_delta", thinking: reasoning },
              { type: "signature_delta", signature: "signed" },
            ],
          },
        ];
  const said: Block[] =
    text === undefined
      ? []
      : [
          {
            start: { type: "text", text: "" },
            deltas: pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
          },
        ];
  const called = calls.map(
    ({ id, name, input }): Block => ({
      start: { type: "tool_use", id, name, input: {} },
      deltas: pieces(rawInput ?? JSON.stringify(input)).map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      })),
    }),
  );
  return [...thinking, ...said, ...called];
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/g) ?? [];
}

function list(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
