import { joinSignals, mintUlid } from "indusagi/core";
import type { Run } from "../boot/internal.ts";
import { inputProblem, typedInput } from "../launch/arguments/index.ts";
import { type CallRequest, isMountedPattern } from "../launch/internal.ts";
import { noAnswerMessage, printOutcome, unknownToolMessage } from "../screen/index.ts";
import { givenInput } from "./given-input.ts";

/** The native tools that start programs of the user. */
const STARTS_PROGRAMS = new Set(["bash", "process"]);

/** `indus call`: runs one native tool in the current folder, or a tool of a server, and prints its answer. */
export async function call(run: Run, request: CallRequest): Promise<number> {
  const { tool: name, json, check, timeoutMs, sources } = request;
  const box = await run.openNativeTools("all", sources);
  const tools = box.descriptors();
  const tool = tools.find((each) => each.name === name);
  // Only such a name starts servers: for a misspelled native tool that would be too much.
  if (!tool && isMountedPattern(name)) return (await import("./mcp/call.ts")).mcpCall(run, request);
  const given = await givenInput(run, request);
  if (!given) return 2;
  if (!tool) {
    const known = tools.map((each) => each.name);
    run.report(await unknownToolMessage(name, known, "indus tools"));
    return 1;
  }
  const input = typedInput(tool.parameters, given);
  const problem = check ? inputProblem(tool, input) : undefined;
  if (problem !== undefined) {
    run.report(problem);
    return 2;
  }
  if (STARTS_PROGRAMS.has(name)) await run.repairPath();
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const outcome = await box.runner.run({ id: mintUlid(), name, input }, joinSignals(run.signal, timeout));
  if (outcome.fault?.reason !== "aborted") printOutcome(run.terminal, outcome, { json });
  else if (!run.signal.aborted) run.report(noAnswerMessage(name, timeoutMs));
  return outcome.isError ? 1 : 0;
}
