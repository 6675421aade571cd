import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { promptArguments, promptSignature, type ServerItem } from "../../conductor/mentions/index.ts";
import { type CommandSpec, type GivenArgument, parseGivenArguments } from "../../launch/internal.ts";
import { showJson, showMessages, suggestion } from "../../screen/index.ts";
import { fileSaver } from "../../screen/terminal/index.ts";
import { serverReport } from "../../servers/doctor/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { ITEM_FLAGS, listOf, type OneItem, readItem, shownPromptName } from "./server-items.ts";
import { connectedServers, startServers } from "./start-servers.ts";

interface GetPromptRequest extends OneItem {
  readonly prompt: string;
  readonly given: readonly GivenArgument[];
}

export const MCP_PROMPT: CommandSpec<GetPromptRequest> = {
  name: "mcp prompt",
  group: "everyday",
  operands: "PROMPT [name=value …]",
  summary: "Fetch a prompt of a configured server and show its messages.",
  flags: ITEM_FLAGS,
  examples: ["indus mcp prompt docs__summarize topic=trust"],
  read: (flags) => {
    const [prompt, ...pairs] = [...flags.operands, ...flags.afterEnd];
    if (prompt === undefined) return { problem: "mcp prompt needs the name of a prompt" };
    const given = parseGivenArguments(pairs);
    return "problem" in given ? given : { prompt, ...given, ...readItem(flags) };
  },
};

/** `indus mcp prompt`: fetches a prompt and shows its messages. */
export async function mcpPrompt(run: Run, request: GetPromptRequest): Promise<number> {
  const { report, terminal, signal } = run;
  const { sources, server, json, timeoutMs, saveTo } = request;
  const started = await startServers(run, {
    sources,
    names: server === undefined ? [] : [server],
    wanted: request.prompt,
  });
  if (!started) return 1;
  const { relay } = started.servers;
  const prompts = await listOf(run, relay, "prompts", connectedServers(started.servers));
  const chosen = await chosenPrompt(request.prompt, prompts, started.servers);
  if (typeof chosen === "string") {
    report(chosen);
    return 1;
  }
  const args = Object.fromEntries(
    request.given.map((each) => [each.name, "text" in each ? each.text : textOf(each.value)]),
  );
  const problem = await argumentProblem(chosen, args);
  if (problem !== undefined) {
    report(problem);
    return 2;
  }
  try {
    const prompt = { name: String(chosen.item["name"]), args };
    const result = await relay.getPrompt(chosen.server, prompt, { signal, ...(timeoutMs && { timeoutMs }) });
    if (json) terminal.out(showJson(result));
    else if (!Array.isArray(result["messages"]))
      throw new Error(`server "${chosen.server}" answered without messages`);
    else {
      const { outIsScreen: isScreen = false, outLook: look = {} } = terminal;
      terminal.out(`${showMessages(result["messages"], { isScreen, look, save: fileSaver(saveTo) })}\n`);
    }
    return 0;
  } catch (thrown) {
    if (!signal.aborted) report(describeError(thrown));
    return 1;
  }
}

/** Finds a prompt by our name for it, or by its own name if only one server has it. Otherwise returns the reason. */
async function chosenPrompt(
  name: string,
  prompts: readonly ServerItem[],
  servers: OpenServers,
): Promise<ServerItem | string> {
  const exact = prompts.find((prompt) => shownPromptName(prompt) === name);
  if (exact) return exact;
  const [only, ...more] = prompts.filter(({ item }) => item["name"] === name);
  if (only && more.length === 0) return only;
  const names = (only ? [only, ...more] : prompts).map(shownPromptName);
  if (only) return `several servers have a prompt ${JSON.stringify(name)}; use ${names.join(" or ")}`;
  const reports = servers.statuses().map(serverReport);
  const down = reports.filter(({ isConnected }) => !isConnected);
  const missing = down.length > 0 ? ` (not connected: ${down.map(({ server }) => server).join(", ")})` : "";
  const hint = await suggestion(name, names, "indus mcp prompts lists the prompts");
  return `there is no prompt named ${JSON.stringify(name)}; ${hint}${missing}`;
}

/** Why the arguments do not fit a prompt. Undefined if they do. */
async function argumentProblem(
  prompt: ServerItem,
  args: { readonly [name: string]: string },
): Promise<string | undefined> {
  const known = promptArguments(prompt.item);
  const missing = known.find(({ name, isRequired }) => isRequired && !Object.hasOwn(args, name));
  const surplus = Object.keys(args).find((name) => !known.some((each) => each.name === name));
  if (missing === undefined && surplus === undefined) return undefined;
  const problem =
    surplus === undefined
      ? `"${missing?.name}" is missing`
      : `${JSON.stringify(surplus)} is not an argument of this prompt`;
  return `${shownPromptName(prompt)}: ${problem}; it takes: ${promptSignature(shownPromptName(prompt), prompt.item)}`;
}

/** Arguments of prompts are texts. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
