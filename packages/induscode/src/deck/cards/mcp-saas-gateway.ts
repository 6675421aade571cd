import { mintUlid } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { type Caller, failureResult, type ToolBox, type ToolResult } from "indusagi/runtime";
import type { HandleCall, SaasAction, SaasGatewayPort, SaasQuery } from "../contract/index.ts";

/**
 * A mounted MCP server as the gateway of `saas-action`. The slugs are the server's tool names. A toolkit matches if it is the
 * server's id, or the prefix of a tool name up to an underscore, as in `GITHUB_CREATE_ISSUE`.
 */
export function mcpSaasGateway(box: ToolBox, server: string): SaasGatewayPort {
  const tools = (): ToolDescriptor[] => box.descriptors().filter(({ origin }) => origin?.server === server);
  return {
    discover: async (query) =>
      tools()
        .map((tool) => actionOf(tool, server))
        .filter((action) => matches(action, query)),
    execute: async (slug, input, call) => {
      const tool = tools().find(({ origin }) => origin?.tool === slug);
      if (!tool) return failureResult(noAction(slug, server));
      return runTool(box, tool, input, call);
    },
  };
}

function actionOf({ origin, name, description, parameters }: ToolDescriptor, server: string): SaasAction {
  return { slug: origin?.tool ?? name, description, parameters, toolkit: server };
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
  box: ToolBox,
  tool: ToolDescriptor,
  input: { readonly [name: string]: unknown },
  { signal, caller }: HandleCall,
): Promise<ToolResult> {
  const call = { id: `saas_${mintUlid()}`, name: tool.name, input };
  const outcome = await box.runner.run(call, signal, caller && withoutSuspension(caller));
  signal.throwIfAborted();
  return outcome.result;
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

function noAction(slug: string, server: string): string {
  return `saas-action: server "${server}" has no action ${JSON.stringify(slug)}; use discover to list its actions`;
}
