import { mintUlid } from "indusagi/core";
import { QUALIFIER, wireName } from "indusagi/interop";
import type { ToolDescriptor, ToolOrigin } from "indusagi/llm";
import { type Caller, failureResult, type ToolBox, type ToolOutcome } from "indusagi/runtime";
import type { HandleCall, SaasAction, SaasGatewayPort, SaasQuery } from "../contract/index.ts";

/** The part of a box that a gateway uses. */
type CalledBox = Pick<ToolBox, "descriptors" | "runner" | "refusalOf">;

/**
 * Mounted MCP servers as the gateway of `saas-action`. The slugs are the servers' tool names; a name that two of them have is
 * qualified with the server. A toolkit matches if it is the server's id, or the prefix of a tool name up to an underscore, as in
 * `GITHUB_CREATE_ISSUE`. Each answer names the tool that was called, as its `origin`.
 */
export function mcpSaasGateway(box: CalledBox, server: string | readonly string[]): SaasGatewayPort {
  const servers = typeof server === "string" ? [server] : server;
  const actions = (): readonly MountedAction[] => mountedActions(box.descriptors(), servers);
  return {
    discover: async (query) =>
      actions()
        .map(({ action }) => action)
        .filter((action) => matches(action, query)),
    execute: async (slug, input, call) => {
      const tool = actions().find(({ action }) => action.slug === slug) ?? withheldTool(box, servers, slug);
      if (!tool) return failureResult(noAction(slug, servers));
      const { result, fault } = await runTool(box, tool.name, { input, call });
      return { ...result, origin: tool.origin, ...(fault && { fault }) };
    },
  };
}

interface MountedTool {
  /** In the box. */
  readonly name: string;
  readonly origin: ToolOrigin;
}

interface MountedAction extends MountedTool {
  readonly action: SaasAction;
}

function mountedActions(
  tools: readonly ToolDescriptor[],
  servers: readonly string[],
): readonly MountedAction[] {
  const mounted = tools.flatMap(({ name, origin, description, parameters }) =>
    origin && servers.includes(origin.server) ? [{ name, origin, description, parameters }] : [],
  );
  const counts = new Map<string, number>();
  for (const { origin } of mounted) counts.set(origin.tool, (counts.get(origin.tool) ?? 0) + 1);
  return mounted.map(({ name, origin, description, parameters }) => {
    const slug = counts.get(origin.tool) === 1 ? origin.tool : name;
    return { name, origin, action: { slug, description, parameters, toolkit: origin.server } };
  });
}

/** A tool that is not listed because it is withheld, by its own or its qualified name. A call of it gets the reason. */
function withheldTool(box: CalledBox, servers: readonly string[], slug: string): MountedTool | undefined {
  const tools = servers.flatMap((server) => {
    const own = { name: wireName({ server, name: slug }), origin: { server, tool: slug } };
    const prefix = `${server}${QUALIFIER}`;
    return slug.startsWith(prefix)
      ? [own, { name: slug, origin: { server, tool: slug.slice(prefix.length) } }]
      : [own];
  });
  return tools.find(({ name }) => box.refusalOf?.(name) !== undefined);
}

function matches(action: SaasAction, { slug, toolkits, query }: SaasQuery): boolean {
  if (slug !== undefined && action.slug !== slug) return false;
  const name = action.slug.toLowerCase();
  const belongs = (toolkit: string): boolean =>
    toolkit === action.toolkit || name.startsWith(`${toolkit.toLowerCase()}_`);
  if (toolkits && toolkits.length > 0 && !toolkits.some(belongs)) return false;
  const text = `${name} ${action.description ?? ""}`.toLowerCase();
  const words = (query ?? "").toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}

async function runTool(
  box: CalledBox,
  name: string,
  {
    input,
    call: { signal, caller },
  }: { readonly input: { readonly [name: string]: unknown }; readonly call: HandleCall },
): Promise<ToolOutcome> {
  const call = { id: `saas_${mintUlid()}`, name, input };
  const outcome = await box.runner.run(call, signal, caller && withoutSuspension(caller));
  signal.throwIfAborted();
  return outcome;
}

/** A gateway returns only results, so a call cannot be suspended: questions are asked while it runs. */
function withoutSuspension(caller: Caller): Caller {
  const { key, principal, client, can } = caller;
  const { suspend: _, ...others } = can;
  const progress = caller.progress?.bind(caller);
  const log = caller.log?.bind(caller);
  const ask = caller.ask?.bind(caller);
  return {
    key,
    ...(principal === undefined ? {} : { principal }),
    ...(client ? { client } : {}),
    can: others,
    ...(progress ? { progress } : {}),
    ...(log ? { log } : {}),
    ...(ask ? { ask } : {}),
  };
}

function noAction(slug: string, servers: readonly string[]): string {
  const [only] = servers;
  const named = JSON.stringify(slug);
  return servers.length === 1
    ? `saas-action: server "${only}" has no action ${named}; use discover to list its actions`
    : `saas-action: none of the servers ${servers.join(", ")} has the action ${named}; use discover to list their actions`;
}
