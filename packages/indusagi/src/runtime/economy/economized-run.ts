import { coerceArguments, explainMismatch } from "../../llm/index.ts";
import type { ToolBox, ToolCall, ToolOutcome, ToolResult, ToolRunner } from "../contract/index.ts";
import { answeredOutcome } from "../outcomes.ts";
import { failureResult } from "../results.ts";
import { describedResult } from "./answer-describe.ts";
import { foundResult, MAX_FOUND } from "./answer-search.ts";
import { DESCRIBE_TOOL, OWN_NAMES, searchTool, TOOL_CALL, TOOL_SEARCH } from "./own-tools.ts";
import { indexOfBox } from "./shared-index.ts";

/** Runs the calls of an economized box. `onUse` is called with the name of each tool that answered. */
export function economizedRun(box: ToolBox, onUse: (name: string) => void): ToolRunner["run"] {
  const forward: ToolRunner["run"] = async (call, signal, caller) => {
    const outcome = await box.runner.run(call, signal, caller);
    if (!outcome.fault) onUse(call.name);
    return outcome;
  };
  return async (call, signal, caller) => {
    if (!OWN_NAMES.has(call.name)) return forward(call, signal, caller);
    if (call.name !== TOOL_CALL) return answeredOutcome(call.id, await answerOf(box, call));
    const { name, input, problem } = innerCall(call.input);
    if (problem !== undefined) return refused(call, problem);
    return forward({ ...call, name, input }, signal, caller);
  };
}

/** The call that the arguments of `tool_call` describe. Its own arguments are passed on untouched. */
function innerCall(input: unknown): {
  readonly name: string;
  readonly input: unknown;
  readonly problem?: string;
} {
  const given = coerceArguments({ type: "object" }, input) as {
    readonly name?: unknown;
    readonly arguments?: unknown;
  };
  const { name, arguments: inner = {} } = given;
  if (typeof name !== "string" || name === "")
    return { name: "", input: inner, problem: "name: the name of the tool to call is missing" };
  const problem = OWN_NAMES.has(name) ? `${name} is called directly, not through ${TOOL_CALL}` : undefined;
  return { name, input: inner, ...(problem === undefined ? {} : { problem }) };
}

async function answerOf(box: ToolBox, { name, input }: ToolCall): Promise<ToolResult> {
  const { parameters } = name === TOOL_SEARCH ? searchTool([]) : DESCRIBE_TOOL;
  const given = coerceArguments(parameters, input) as Asked;
  const mismatch = explainMismatch(parameters, given);
  if (mismatch !== undefined) return failureResult(`${name}: arguments do not fit: ${mismatch}`);
  const tools = box.descriptors();
  if (name !== TOOL_SEARCH) return describedResult(given.names ?? [], box);
  const { query = "", server } = given;
  if (server !== undefined && !tools.some(({ origin }) => origin?.server === server))
    return failureResult(`there is no server named ${JSON.stringify(server)}; leave it out to search all`);
  const index = await indexOfBox(box);
  return foundResult(
    index.search(query, { limit: MAX_FOUND, ...(server === undefined ? {} : { server }) }),
    tools,
  );
}

interface Asked {
  readonly query?: string;
  readonly server?: string;
  readonly names?: readonly string[];
}

function refused({ id, name }: ToolCall, problem: string): ToolOutcome {
  return answeredOutcome(id, failureResult(`${name}: ${problem}`));
}
