import { extensionsIn } from "../../content/index.ts";
import { Extension, type HostProviders } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { HostCore } from "../host-core.ts";
import type { RequestContext } from "../request/request-context.ts";

/** Whether a host has tasks for a client of the modern era: its own, or those of servers. */
export function offersTasks({ tasks }: Pick<HostCore, "tasks">, { extensions }: HostProviders): boolean {
  return tasks !== undefined || extensions?.[Extension.TASKS] !== undefined;
}

/** Whether the client of a request follows tasks. Each request says so for itself. */
export function followsTasks({ mcpReq }: RequestContext): boolean {
  const envelope: { readonly [key: string]: unknown } = mcpReq.envelope ?? {};
  return declaresTasks(envelope["io.modelcontextprotocol/clientCapabilities"]);
}

/** Whether the capabilities of a client include tasks. */
export function declaresTasks(capabilities: unknown): boolean {
  const declared = extensionsIn(capabilities);
  return declared !== undefined && Object.hasOwn(declared, Extension.TASKS);
}

/** Refuses a request that needs a client that follows tasks. */
export function requireTasks(ctx: RequestContext): void {
  if (!followsTasks(ctx)) throw tasksNotDeclared();
}

export function tasksNotDeclared(): RpcFailure {
  return new RpcFailure(RpcCode.MISSING_CAPABILITY, "the client must declare the extension for tasks", {
    requiredCapabilities: { extensions: { [Extension.TASKS]: {} } },
  });
}
