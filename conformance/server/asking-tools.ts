import { type Caller, type Question, textResult } from "indusagi/runtime";
import type { FixtureTool } from "./fixture-tool.ts";
import { form, modelText, prompt } from "./questions.ts";

/** Tools that ask in the middle of their work and go on with the answer: the same code in both eras. */
export const askingTools: readonly FixtureTool[] = [
  {
    name: "test_sampling",
    description: "Has the client's model answer a prompt",
    parameters: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    run: async ({ caller, input, signal }) => {
      const answer = await ask(caller, prompt(String(input["prompt"])), signal);
      return textResult(`LLM response: ${modelText(answer) ?? "none"}`);
    },
  },
  {
    name: "test_elicitation",
    description: "Asks the user for a name and an address",
    parameters: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    run: ({ caller, input, signal }) =>
      elicit(
        caller,
        form(String(input["message"]), {
          username: { type: "string", description: "User's response" },
          email: { type: "string", description: "User's email address" },
        }),
        signal,
      ),
  },
  {
    name: "test_elicitation_sep1034_defaults",
    description: "Asks with a default for every kind of field",
    run: ({ caller, signal }) => elicit(caller, form("Check the defaults", DEFAULTS, []), signal),
  },
  {
    name: "test_elicitation_sep1330_enums",
    description: "Asks with every kind of choice",
    run: ({ caller, signal }) => elicit(caller, form("Choose", CHOICES, []), signal),
  },
  {
    name: "test_streaming_elicitation",
    description: "Reports progress, then asks",
    run: ({ caller, signal }) => {
      caller.progress?.({ progress: 1, total: 2 });
      return elicit(caller, form("Go on?", { ok: { type: "boolean" } }), signal);
    },
  },
];

const DEFAULTS = {
  name: { type: "string", description: "User name", default: "John Doe" },
  age: { type: "integer", description: "User age", default: 30 },
  score: { type: "number", description: "User score", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", description: "Verification status", default: true },
};

const CHOICES = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: {
    type: "string",
    oneOf: [
      { const: "value1", title: "First Option" },
      { const: "value2", title: "Second Option" },
      { const: "value3", title: "Third Option" },
    ],
  },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
  titledMulti: {
    type: "array",
    items: {
      anyOf: [
        { const: "value1", title: "First Choice" },
        { const: "value2", title: "Second Choice" },
        { const: "value3", title: "Third Choice" },
      ],
    },
  },
};

async function elicit(
  caller: Caller,
  question: Question,
  signal: AbortSignal,
): Promise<ReturnType<typeof textResult>> {
  const { action, content } = (await ask(caller, question, signal)) as {
    readonly action?: unknown;
    readonly content?: unknown;
  };
  return textResult(
    `Elicitation completed: action=${String(action)}, content=${JSON.stringify(content ?? {})}`,
  );
}

async function ask(caller: Caller, question: Question, signal: AbortSignal): Promise<unknown> {
  if (!caller.ask) throw new Error("the client cannot be asked");
  const { answer } = await caller.ask({ answer: question }, signal);
  return answer;
}
