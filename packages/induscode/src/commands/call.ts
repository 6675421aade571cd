import { mintUlid } from "indusagi/core";
import type { ToolBox } from "indusagi/runtime";
import type { Run } from "../boot/internal.ts";
import { onScreen, showOutcome, unknownToolMessage } from "../screen/index.ts";

export interface ToolRequest {
  readonly tool: string;
  readonly input: { readonly [name: string]: unknown };
}

/** `indus call`: runs one native tool in the current folder and prints its answer. */
export async function call(run: Run, { tool, input }: ToolRequest): Promise<number> {
  const { terminal, signal } = run;
  const box = await run.openNativeTools("all");
  const problem = await requestProblem(box, { tool, input });
  if (problem !== undefined) {
    run.report(problem);
    return 1;
  }
  const outcome = await box.runner.run({ id: mintUlid(), name: tool, input }, signal);
  const text = showOutcome(outcome);
  if (outcome.isError) terminal.err(onScreen(text));
  else terminal.out(terminal.outIsScreen ? onScreen(text) : text);
  return outcome.isError ? 1 : 0;
}

/** Tools ignore unknown arguments, which helps models. A person who mistyped one needs to know. */
async function requestProblem(box: ToolBox, { tool, input }: ToolRequest): Promise<string | undefined> {
  const tools = box.descriptors();
  const parameters = tools.find(({ name }) => name === tool)?.parameters;
  if (!parameters) {
    const known = tools.map(({ name }) => name);
    return unknownToolMessage(tool, known, "indus tools");
  }
  const properties = parameters["properties"] ?? {};
  const surplus = Object.keys(input).find((name) => !Object.hasOwn(properties, name));
  if (surplus === undefined) return undefined;
  const known = Object.keys(properties).join(", ") || "none";
  return `${tool} takes no argument ${JSON.stringify(surplus)}; it takes ${known}`;
}
