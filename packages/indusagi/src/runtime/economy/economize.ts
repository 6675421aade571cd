import { closestNames, shortenText } from "../../core/index.ts";
import { withDefaults } from "../../core/internal.ts";
import { explainMismatch, type ToolDescriptor, toolSignature } from "../../llm/index.ts";
import { layerBox, type Tool } from "../box/index.ts";
import { argumentsOf } from "../call-arguments.ts";
import type { ToolBox, ToolCall, ToolResult, ToolRunner } from "../contract/index.ts";
import { answeredOutcome, failureResult, textResult } from "../results.ts";
import { type CodeOptions, codeBox, ownDescriptors } from "./code/code-box.ts";
import { fitTool } from "./fit-description.ts";
import { costOfTool, listCost } from "./list-cost.ts";
import {
  CALL_TOOL,
  DESCRIBE_TOOL,
  OWN_NAMES,
  SEARCH_PARAMETERS,
  searchTool,
  TOOL_CALL,
  TOOL_DESCRIBE,
  TOOL_SEARCH,
} from "./own-tools.ts";
import { firstSentence } from "./search/first-sentence.ts";
import { createToolIndex, type ToolIndex } from "./search/tool-index.ts";

export interface EconomyOptions {
  /**
   * `search`: the model finds tools, and calls each by itself. `code`: it finds functions, and writes programs that call them; only
   * `pinned`, `isForPrograms` and `code` apply. Default `search`.
   */
  readonly mode?: "search" | "code" | undefined;
  /** Options of the mode `code`. */
  readonly code?: CodeOptions | undefined;
  /** Tools that are always listed: names, or prefixes that end in `*`. */
  readonly pinned?: readonly string[];
  /** Whether a tool is not for models, but for example for the page of an app: it is always listed and never found. Default: none. */
  readonly isForPrograms?: (tool: ToolDescriptor) => boolean;
  /** How many recently used tools are listed. Default 5. */
  readonly recent?: number;
  /** List all tools of a server that has at most this many. Default 3. */
  readonly smallServer?: number;
  /** How many tokens the list may cost (estimated). Pinned tools are listed even beyond it. Default 1,500. */
  readonly visibleTokens?: number;
  /** List all tools while they exceed neither limit. Default: never. */
  readonly above?: { readonly tools?: number; readonly tokens?: number };
  /** Calls the listener when the options above have changed. Default: they never change. */
  readonly onOptionsChange?: (listener: () => void) => unknown;
}

type Limits = Required<
  Pick<EconomyOptions, "pinned" | "isForPrograms" | "recent" | "smallServer" | "visibleTokens">
>;

const DEFAULTS: Limits = {
  pinned: [],
  isForPrograms: () => false,
  recent: 5,
  smallServer: 3,
  visibleTokens: 1_500,
};

/**
 * A box that lists a few tools of another box and three tools to find, describe and call the rest. Any tool can also be
 * called by name. Tools that the other box does not list, for example because a rule hides them, can be neither found nor
 * called. Put a policy gate inside, `economize(gate(box, policy))`, so it decides about the tool that really runs.
 */
export function economize(box: ToolBox, options: EconomyOptions = {}): ToolBox {
  if (options.mode === "code") return economizeByCode(box, options);
  const recent = new RecentTools(options.recent ?? DEFAULTS.recent);
  const { isForPrograms = DEFAULTS.isForPrograms } = options;
  let listAgain = (): void => {};
  const noting =
    (run: ToolRunner["run"]): ToolRunner["run"] =>
    async (call, signal, caller) => {
      const outcome = await run(call, signal, caller);
      if (!outcome.fault && recent.use(call.name)) listAgain();
      return outcome;
    };
  const runBelow = noting((...call) => box.runner.run(...call));
  const runOwn: ToolRunner["run"] = async (call, signal, caller) => {
    if (call.name !== TOOL_CALL) return answeredOutcome(call.id, await answerOf(box, call, isForPrograms));
    const { name, input, problem } = innerCall(call);
    if (problem !== undefined) return answeredOutcome(call.id, failureResult(`${call.name}: ${problem}`));
    return runBelow({ ...call, name, input }, signal, caller);
  };
  const listed = listedTools(runOwn, noting);
  return layerBox(box, {
    list: (tools) => {
      const descriptors = tools.map(({ descriptor }) => descriptor);
      return listed(tools, economizedTools(descriptors, options, recent.names));
    },
    missing: () => (call, signal, caller) =>
      (OWN_NAMES.has(call.name) ? runOwn : runBelow)(call, signal, caller),
    onListChange: (listener) => {
      listAgain = listener;
      options.onOptionsChange?.(listener);
    },
  });
}

function economizeByCode(box: ToolBox, options: EconomyOptions): ToolBox {
  const { isForPrograms } = withDefaults(DEFAULTS, options);
  return codeBox(box, {
    code: options.code ?? {},
    // The options may change.
    isListed: (tool) => isNamed(tool.name, options.pinned ?? DEFAULTS.pinned) || isForPrograms(tool),
    search: async (query, server) => {
      const tools = box.descriptors();
      if (isUnknownServer(tools, server)) return { problem: unknownServerText(server) };
      const found = await foundIn(box, isForPrograms, query, server);
      return found.length > 0 ? found : { problem: `No function matches. ${serversText(tools)}` };
    },
  });
}

/** The tools an economized box lists. `used`: the names of recently used tools, the latest first. */
export function economizedTools(
  tools: readonly ToolDescriptor[],
  options: EconomyOptions = {},
  used: readonly string[] = [],
): readonly ToolDescriptor[] {
  if (!exceeds(tools, options.above)) return tools;
  const { pinned, isForPrograms, smallServer, visibleTokens } = withDefaults(DEFAULTS, options);
  if (options.mode === "code")
    return [
      ...ownDescriptors(tools),
      ...tools.filter((tool) => isNamed(tool.name, pinned) || isForPrograms(tool)),
    ];
  const servers = [...new Set(tools.flatMap(({ origin }) => origin?.server ?? []))].sort();
  const own = [searchTool(servers), DESCRIBE_TOOL, CALL_TOOL];
  const isPinned = (tool: ToolDescriptor): boolean => isNamed(tool.name, pinned) || isForPrograms(tool);
  const choice = { isPinned, recent: used, smallServer, tokens: visibleTokens - listCost(own) };
  const listed = chooseVisible(tools, choice).filter(({ name }) => !OWN_NAMES.has(name));
  return [...own, ...listed.map(fitTool)];
}

function exceeds(tools: readonly ToolDescriptor[], above: EconomyOptions["above"]): boolean {
  if (!above) return true;
  const { tools: most = Infinity, tokens = Infinity } = above;
  return tools.length > most || listCost(tools) > tokens;
}

interface VisibleOptions extends Pick<Limits, "smallServer"> {
  readonly isPinned: (tool: ToolDescriptor) => boolean;
  /** Names of tools, the most recently used first. */
  readonly recent: readonly string[];
  /** What the listed tools may cost in total, pinned ones included. */
  readonly tokens: number;
}

/** The tools to list: pinned, then recently used, then those of small servers. */
function chooseVisible(
  tools: readonly ToolDescriptor[],
  { isPinned, recent, smallServer, tokens }: VisibleOptions,
): readonly ToolDescriptor[] {
  const chosen = new Set(tools.filter(isPinned));
  let left = tokens - costOf([...chosen]);
  const show = (group: readonly ToolDescriptor[]): void => {
    const added = group.filter((tool) => !chosen.has(tool));
    const cost = costOf(added);
    if (cost > left) return;
    left -= cost;
    for (const tool of added) chosen.add(tool);
  };
  const byName = recent.length > 0 ? new Map(tools.map((tool) => [tool.name, tool])) : undefined;
  for (const name of recent) {
    const tool = byName?.get(name);
    if (tool) show([tool]);
  }
  for (const group of smallServers(tools, smallServer)) show(group);
  return [...chosen];
}

function isNamed(name: string, pinned: readonly string[]): boolean {
  return pinned.some((pin) => (pin.endsWith("*") ? name.startsWith(pin.slice(0, -1)) : name === pin));
}

/** The tools of each small server, the cheapest server first. */
function smallServers(
  tools: readonly ToolDescriptor[],
  smallServer: number,
): readonly (readonly ToolDescriptor[])[] {
  const groups = new Map<string, ToolDescriptor[]>();
  for (const tool of tools) {
    // Native tools belong to no server; pin them to list them.
    if (!tool.origin) continue;
    const group = groups.get(tool.origin.server);
    if (group) group.push(tool);
    else groups.set(tool.origin.server, [tool]);
  }
  return [...groups.values()]
    .filter((group) => group.length <= smallServer)
    .map((group) => ({ group, cost: costOf(group) }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ group }) => group);
}

function costOf(tools: readonly ToolDescriptor[]): number {
  return tools.reduce((total, tool) => total + costOfTool(fitTool(tool)), 0);
}

/** Returns a function that makes the listed tools from all tools and the listed descriptors. */
function listedTools(
  runOwn: ToolRunner["run"],
  noting: (run: ToolRunner["run"]) => ToolRunner["run"],
): (all: readonly Tool[], descriptors: readonly ToolDescriptor[]) => readonly Tool[] {
  const shown = new WeakMap<Tool, Tool>();
  const own = new Map<string, Tool>();
  const ownTool = (descriptor: ToolDescriptor): Tool => {
    const known = own.get(descriptor.name);
    // The search stays the same tool while it names the same servers.
    if (known?.descriptor.description === descriptor.description) return known;
    const tool = { descriptor, run: runOwn };
    own.set(descriptor.name, tool);
    return tool;
  };
  return (all, descriptors) => {
    const byName = new Map(all.map((tool) => [tool.descriptor.name, tool]));
    return descriptors.map((descriptor) => {
      const tool = OWN_NAMES.has(descriptor.name) ? undefined : byName.get(descriptor.name);
      if (!tool) return ownTool(descriptor);
      const known = shown.get(tool);
      // Descriptions are shortened only if some tools are not listed.
      if (known?.descriptor === descriptor) return known;
      const next = { descriptor, run: noting(tool.run) };
      shown.set(tool, next);
      return next;
    });
  };
}

/** The names of recently used tools, the latest first. */
class RecentTools {
  readonly #max: number;
  names: readonly string[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** Notes a use. True if the set of names changed; a new order alone is not worth telling a client. */
  use(name: string): boolean {
    const isNew = !this.names.includes(name);
    const rest = isNew ? this.names : this.names.filter((known) => known !== name);
    this.names = [name, ...rest].slice(0, this.#max);
    return isNew && this.#max > 0;
  }
}

/** The call inside a `tool_call`. Its arguments are passed on untouched. */
function innerCall(call: ToolCall): {
  readonly name: string;
  readonly input: unknown;
  readonly problem?: string | undefined;
} {
  const given = argumentsOf(call, CALL_TOOL.parameters) as {
    readonly name?: unknown;
    readonly arguments?: unknown;
  };
  const { name, arguments: inner = {} } = given;
  if (typeof name !== "string" || name === "")
    return { name: "", input: inner, problem: "name: the name of the tool to call is missing" };
  const problem = OWN_NAMES.has(name) ? `${name} is called directly, not through ${TOOL_CALL}` : undefined;
  return { name, input: inner, problem };
}

interface Asked {
  readonly query?: string;
  readonly server?: string;
  readonly names?: readonly string[];
}

/** The answer of `tool_search` or `tool_describe`. */
async function answerOf(
  box: ToolBox,
  call: ToolCall,
  isForPrograms: Limits["isForPrograms"],
): Promise<ToolResult> {
  const { name } = call;
  const parameters = name === TOOL_SEARCH ? SEARCH_PARAMETERS : DESCRIBE_TOOL.parameters;
  const given = argumentsOf(call, parameters) as Asked;
  const mismatch = explainMismatch(parameters, given);
  if (mismatch !== undefined) return failureResult(`${name}: arguments do not fit: ${mismatch}`);
  const tools = box.descriptors();
  if (name !== TOOL_SEARCH) return describedResult(given.names ?? [], box);
  const { query = "", server } = given;
  if (isUnknownServer(tools, server)) return failureResult(unknownServerText(server));
  return foundResult(await foundIn(box, isForPrograms, query, server), tools);
}

function isUnknownServer(tools: readonly ToolDescriptor[], server: string | undefined): boolean {
  return server !== undefined && !tools.some(({ origin }) => origin?.server === server);
}

function unknownServerText(server: string | undefined): string {
  return `there is no server named ${JSON.stringify(server)}; leave it out to search all`;
}

async function foundIn(
  box: ToolBox,
  isForPrograms: Limits["isForPrograms"],
  query: string,
  server: string | undefined,
): Promise<readonly ToolDescriptor[]> {
  const index = await indexOfBox(box, isForPrograms);
  return index.search(query, { limit: MAX_FOUND, ...(server === undefined ? {} : { server }) });
}

/** One index per box: a gateway shows one box to its clients in several ways. */
const indexes = new WeakMap<ToolBox, Promise<ToolIndex>>();

/** The up-to-date index of a box, built by the first search. */
async function indexOfBox(box: ToolBox, isForPrograms: Limits["isForPrograms"]): Promise<ToolIndex> {
  let created = indexes.get(box);
  if (!created) {
    created = createToolIndex();
    indexes.set(box, created);
  }
  const index = await created;
  const tools = box.descriptors();
  // Usually the array itself, which the index recognises as unchanged.
  index.update(tools.some(isForPrograms) ? tools.filter((tool) => !isForPrograms(tool)) : tools);
  return index;
}

/** Results that are shown with their signature. */
const SIGNATURES = 10;
/** Results in one answer. Those after the first ten are listed by name only, which costs little and is often enough. */
const MAX_FOUND = 40;
const MAX_SIGNATURE = 400;
const MAX_PURPOSE = 160;

/** A search answer: the best results with signature and purpose, one per line, then the names of others. */
function foundResult(found: readonly ToolDescriptor[], all: readonly ToolDescriptor[]): ToolResult {
  if (found.length === 0) return textResult(`No tool matches. ${serversText(all)}`);
  const best = found.slice(0, SIGNATURES);
  const others = found.slice(SIGNATURES).map(({ name }) => name);
  return textResult(
    [
      `${best.length} of ${all.length} tools, the best first. Run one with ${TOOL_CALL}; ${TOOL_DESCRIBE} gives its whole definition.`,
      ...best.map((tool) => `${signatureLine(tool)}\n  ${purposeLine(tool)}`),
      ...(others.length > 0 ? [`Less likely: ${others.join(", ")}`] : []),
    ].join("\n"),
  );
}

function signatureLine(tool: ToolDescriptor): string {
  return shortenText(toolSignature(tool), MAX_SIGNATURE);
}

function purposeLine({ description, title }: ToolDescriptor): string {
  return shortenText(firstSentence(description) || title || "(no description)", MAX_PURPOSE);
}

/** Each server with its number of tools. */
function serversText(all: readonly ToolDescriptor[]): string {
  const counts = new Map<string, number>();
  for (const { origin } of all) counts.set(origin?.server ?? "", (counts.get(origin?.server ?? "") ?? 0) + 1);
  const servers = [...counts].map(
    ([server, count]) => `${server === "" ? "native tools" : server} (${count})`,
  );
  return servers.length === 0 ? "There are no tools." : `Try other words. Servers: ${servers.join(", ")}.`;
}

/** Definitions are long; a model that asks for more has not narrowed its search yet. */
const MAX_DESCRIBED = 20;

/** The full definitions of the named tools as JSON, one per line. Reports unknown names too. */
async function describedResult(names: readonly string[], box: ToolBox): Promise<ToolResult> {
  if (names.length === 0) return failureResult("names: name at least one tool");
  if (names.length > MAX_DESCRIBED) return failureResult(`names: at most ${MAX_DESCRIBED} tools at a time`);
  const byName = new Map(box.descriptors().map((tool) => [tool.name, tool]));
  const lines: string[] = [];
  let found = 0;
  for (const name of new Set(names)) {
    const tool = byName.get(name);
    if (tool) found++;
    const refusal = tool ? undefined : box.refusalOf?.(name);
    if (tool) lines.push(JSON.stringify(definitionOf(tool)));
    else lines.push(refusal?.message ?? (await unknownLine(name, [...byName.keys()])));
  }
  return found > 0 ? textResult(lines.join("\n")) : failureResult(lines.join("\n"));
}

/** As its server sent it, if it has one; without icons and `_meta`, which a model cannot use. */
function definitionOf({ name, definition, parameters, ...tool }: ToolDescriptor): object {
  const source: { readonly [member: string]: unknown } = definition ?? { ...tool, inputSchema: parameters };
  const { title, description, inputSchema, outputSchema, annotations } = source;
  return { name, title, description, inputSchema, outputSchema, annotations };
}

async function unknownLine(name: string, names: readonly string[]): Promise<string> {
  const similar = await closestNames(name, names);
  const remedy = similar.length > 0 ? `did you mean ${similar.join(" or ")}?` : `find it with ${TOOL_SEARCH}`;
  return `there is no tool named ${JSON.stringify(name)}; ${remedy}`;
}
