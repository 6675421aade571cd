import { joinSignals, mintUlid } from "indusagi/core";
import { openNativeTools, type Run } from "../boot/internal.ts";
import { inputProblem, typedInput } from "../launch/arguments/index.ts";
import {
  type CommandSpec,
  isMountedPattern,
  NATIVE_IDS,
  readSources,
  SERVER_FLAGS,
  type ServerSources,
} from "../launch/internal.ts";
import { noAnswerMessage, printOutcome, unknownToolMessage } from "../screen/index.ts";
import { repairPath } from "../servers/internal.ts";
import { CALL_FLAGS, givenInput, readToolRequest, type ToolRequest } from "./tool-request.ts";

interface CallRequest extends ToolRequest {
  readonly sources: ServerSources;
}

export const CALL: CommandSpec<CallRequest> = {
  name: "call",
  group: "everyday",
  operands: "TOOL [name=value …]",
  choices: NATIVE_IDS,
  summary:
    "Run a native tool in the current folder, or a tool of a configured server. name:=json passes a JSON value.",
  flags: [...CALL_FLAGS, ...SERVER_FLAGS],
  examples: ["indus call read path=package.json limit=5", "indus call bash command=date --timeout 5"],
  read: (flags) => {
    const request = readToolRequest(flags, { command: "call" });
    return "problem" in request ? request : { ...request, sources: readSources(flags) };
  },
};

/** The native tools that start the user's programs. */
const STARTS_PROGRAMS = new Set(["bash", "process"]);

/** `indus call`: runs one native tool in the current folder, or one tool of a server, and prints its answer. */
export async function call(run: Run, request: CallRequest): Promise<number> {
  const { tool: name, json, check, timeoutMs, sources } = request;
  const box = await openNativeTools(run, "all", sources);
  const tools = box.descriptors();
  const tool = tools.find((each) => each.name === name);
  // A misspelled native tool must not start every server.
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
  if (STARTS_PROGRAMS.has(name)) await repairPath(run);
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const outcome = await box.runner.run({ id: mintUlid(), name, input }, joinSignals(run.signal, timeout));
  if (outcome.fault?.reason !== "aborted") printOutcome(run.terminal, outcome, { json });
  else if (!run.signal.aborted) run.report(noAnswerMessage(name, timeoutMs));
  return outcome.isError ? 1 : 0;
}
