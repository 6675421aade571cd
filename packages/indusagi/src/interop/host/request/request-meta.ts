import type { ServerContext } from "@modelcontextprotocol/server";

/** A request's `_meta` as it may travel on: the progress token is ours, and the SDK has taken out what the protocol reserves. */
export function requestMeta(ctx: ServerContext): { readonly [key: string]: unknown } | undefined {
  if (!ctx.mcpReq._meta) return undefined;
  const { progressToken: _, ...meta } = ctx.mcpReq._meta;
  return Object.keys(meta).length > 0 ? meta : undefined;
}
