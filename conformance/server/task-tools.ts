import { failureResult, textResult } from "indusagi/runtime";
import type { FixtureTool } from "./fixture-tool.ts";
import { acceptedFields, form } from "./questions.ts";

/** Tools that go on as tasks for clients that follow them. */
export const taskTools: readonly FixtureTool[] = [
  {
    name: "greet",
    description: "Greets at once",
    parameters: { type: "object", properties: { name: { type: "string" } } },
    run: ({ input }) => textResult(`Hello, ${text(input["name"])}!`),
  },
  {
    name: "slow_compute",
    description: "Takes its time",
    parameters: { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
    task: "optional",
    run: async ({ input, signal }) => {
      await pause(Number(input["seconds"] ?? 0) * 1000, signal);
      return textResult(`computed ${text(input["label"])}`);
    },
  },
  {
    name: "failing_job",
    description: "Fails after a second",
    task: "required",
    run: async ({ signal }) => {
      await pause(1_000, signal);
      return failureResult("the job failed");
    },
  },
  {
    name: "protocol_error_job",
    description: "Ends with an error of the protocol",
    task: "required",
    run: async ({ signal }) => {
      await pause(100, signal);
      return { error: { code: -32_603, message: "the job broke" } };
    },
  },
  {
    name: "confirm_delete",
    description: "Asks before it deletes",
    parameters: { type: "object", properties: { filename: { type: "string" } } },
    task: "optional",
    run: async ({ input, caller }) => {
      caller.asTask?.();
      const answers = await caller.ask?.({ confirm: form("Delete it?", { confirm: { type: "boolean" } }) });
      const isSure = acceptedFields(answers?.["confirm"])?.["confirm"] === true;
      return textResult(`${isSure ? "deleted" : "kept"} ${text(input["filename"])}`);
    },
  },
  {
    name: "multi_input",
    description: "Asks two questions at once",
    task: "optional",
    run: async ({ caller }) => {
      caller.asTask?.();
      const question = form("Your name?", { name: { type: "string" } });
      const answers = await caller.ask?.({ first: question, second: question });
      return textResult(JSON.stringify(answers));
    },
  },
  {
    name: "test_tool_with_task",
    description: "Asks first, then goes on as a task",
    task: "required",
    run: async ({ caller, signal }) => {
      const answers = await caller.ask?.({
        user_name: form("What is your name?", { name: { type: "string" } }),
      });
      await pause(300, signal);
      return textResult(`Hello, ${text(acceptedFields(answers?.["user_name"])?.["name"])}!`);
    },
  },
];

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new Error("stopped"));
    });
  });
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
