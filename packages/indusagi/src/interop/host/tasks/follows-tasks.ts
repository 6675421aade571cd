import { extensionsIn } from "../../content/index.ts";
import { Extension } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { RequestContext } from "../request/request-context.ts";

/** Whether the client of a request follows tasks. Each request says so for itself. */
export function followsTasks({ mcpReq }: RequestContext): boolean {
  const envelope: { readonly [key: string]: unknown } = mcpReq.envelope ?? {};
  const declared = extensionsIn(envelope["io.modelcontextprotocol/clientCapabilities"]);
  return declared !== undefined && Object.hasOwn(declared, Extension.TASKS);
}

/** Refuses a request that needs a client that follows tasks. */
export function requireTasks(ctx: RequestContext): void {
  if (followsTasks(ctx)) return;
  throw new RpcFailure(RpcCode.MISSING_CAPABILITY, "the client must declare the extension for tasks", {
    requiredCapabilities: { extensions: { [Extension.TASKS]: {} } },
  });
}
