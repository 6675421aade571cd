import { callProblem, isRecord, type JsonRecord, schemaProblem } from "./checks.ts";
import type { ScriptedAnswer, Wire } from "./script.ts";

/** `streamGenerateContent` of Gemini. */
export const geminiWire: Wire = {
  takes: (path) => path.includes(":streamGenerateContent"),
  refusal: (body) =>
    problemOfContents(list(body["contents"])) ??
    problemOfTools(list(body["tools"])) ??
    problemOfThinking(body["generationConfig"]),
  events: (answer) => chunksOf(answer).map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`),
  error: (status, message) => ({ error: { code: status, message, status: "FAILED" } }),
};

const NAMES = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

function problemOfContents(contents: readonly JsonRecord[]): string | undefined {
  if (contents[0]?.["role"] !== "user") return "the first content must be the user's";
  let open = 0;
  for (const { role, parts } of contents) {
    if (role !== "user" && role !== "model") return `unknown role ${String(role)}`;
    const blocks = list(parts);
    if (blocks.length === 0) return "a content must have parts";
    const answers = blocks.filter((part) => "functionResponse" in part).length;
    if (role === "user" && answers !== open) return `${open} function calls have ${answers} responses`;
    const calls = blocks.flatMap(({ functionCall }) => (isRecord(functionCall) ? [functionCall] : []));
    open = calls.length;
    for (const { name, args } of calls) {
      const problem = callProblem(name, args, NAMES);
      if (problem !== undefined) return problem;
    }
    const unsigned = blocks.findIndex(
      (part) => "functionCall" in part && part["thoughtSignature"] === undefined,
    );
    // Only the first of several calls in one answer is signed.
    if (open > 0 && unsigned === blocks.findIndex((part) => "functionCall" in part))
      return "a function call is missing its thoughtSignature";
  }
  return undefined;
}

function problemOfTools(tools: readonly JsonRecord[]): string | undefined {
  for (const { name, parameters } of tools.flatMap((tool) => list(tool["functionDeclarations"]))) {
    if (!NAMES.test(String(name))) return `invalid function name ${String(name)}`;
    const problem =
      parameters === undefined
        ? undefined
        : schemaProblem(parameters, { forbidden: ["oneOf", "allOf", "$ref"] });
    if (problem !== undefined) return `${String(name)}: ${problem}`;
    if (/"type":\[/.test(JSON.stringify(parameters ?? {})))
      return `${String(name)}: a list of types is not allowed`;
  }
  return undefined;
}

/** The limits of the large model of generation 2.5. */
function problemOfThinking(config: unknown): string | undefined {
  const { thinkingConfig } = (config ?? {}) as JsonRecord;
  if (!isRecord(thinkingConfig)) return undefined;
  const budget = Number(thinkingConfig["thinkingBudget"]);
  return budget >= 128 && budget <= 32_768 ? undefined : `the thinking budget ${budget} is invalid`;
}

function chunksOf({
  text = "",
  reasoning,
  calls = [],
  usage = { input: 1, output: 1 },
  finish,
}: ScriptedAnswer): JsonRecord[] {
  const chunk = (parts: readonly JsonRecord[], more: JsonRecord = {}): JsonRecord => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  });
  const called = calls.map(({ id, name, input }, index) =>
    chunk([
      { functionCall: { id, name, args: input }, ...(index === 0 && { thoughtSignature: "c2lnbmVk" }) },
    ]),
  );
  return [
    ...(reasoning === undefined ? [] : [chunk([{ text: reasoning, thought: true }])]),
    ...(text.match(/[\s\S]{1,7}/g) ?? []).map((piece) => chunk([{ text: piece }])),
    ...called,
    {
      ...chunk([{ text: "" }], { finishReason: finish === "length" ? "MAX_TOKENS" : "STOP" }),
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
        cachedContentTokenCount: usage.cached ?? 0,
      },
    },
  ];
}

function list(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
