import { verifies } from "@indus/testkit";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import {
  createServerEndpoint,
  linkedTransports,
  type ProtocolEra,
  type ServerEndpointImpl,
} from "indusagi/interop";
import { expect } from "vitest";

const TOOLS = [
  {
    name: "add",
    description: "Adds.",
    inputSchema: { type: "object" as const, properties: { a: { type: "number" }, b: { type: "number" } } },
  },
  { name: "work", description: "Reports progress.", inputSchema: { type: "object" as const } },
  { name: "hang", description: "Until it is cancelled.", inputSchema: { type: "object" as const } },
];

/** A server made with the public SDK at the other end of a linked pair. */
async function againstSdk(
  era: ProtocolEra,
): Promise<{ readonly endpoint: ServerEndpointImpl; readonly cancelled: () => number } & AsyncDisposable> {
  const [ours, theirs] = linkedTransports();
  let cancelled = 0;
  const factory = (): Server => {
    const server = new Server({ name: "sdk", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
    server.setRequestHandler("tools/call", async ({ params }, ctx) => {
      const { a, b } = (params.arguments ?? {}) as { a?: number; b?: number };
      if (params.name === "add")
        return { content: [{ type: "text" as const, text: String((a ?? 0) + (b ?? 0)) }] };
      if (params.name === "hang") {
        await new Promise<void>((resolve) =>
          ctx.mcpReq.signal.addEventListener("abort", () => (cancelled++, resolve())),
        );
      }
      const progressToken = ctx.mcpReq._meta?.progressToken;
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress: 1, total: 2, message: "half" },
        });
      }
      return { content: [{ type: "text" as const, text: "done" }] };
    });
    return server;
  };
  const handle = serveStdio(factory, {
    transport: theirs as never,
    legacy: era === "legacy" ? "serve" : "reject",
  });
  const endpoint = createServerEndpoint(
    { kind: "stdio", id: "sdk", command: "unused" },
    ours,
    era === "legacy" ? { eras: legacyOnly } : {},
  );
  return {
    endpoint,
    cancelled: () => cancelled,
    [Symbol.asyncDispose]: async () => (await endpoint.close(), handle.close()),
  };
}

const legacyOnly = { recall: (): ProtocolEra => "legacy", remember: () => {} };

for (const era of ["legacy", "modern"] as const) {
  verifies("endpoint:both-eras", `${era}: our lane and the SDK's own server work together`, async () => {
    await using pair = await againstSdk(era);
    const { endpoint } = pair;
    await endpoint.open();
    expect(endpoint.session().era).toBe(era);
    expect((await endpoint.listTools()).map((tool) => tool.definition)).toEqual(TOOLS);
    expect((await endpoint.invoke("add", { a: 2, b: 3 })).content).toEqual([{ type: "text", text: "5" }]);
    const notes: unknown[] = [];
    await endpoint.invoke("work", {}, { onProgress: (note) => notes.push(note) });
    expect(notes).toEqual([{ progress: 1, total: 2, message: "half" }]);
    const abort = new AbortController();
    const hanging = endpoint.invoke("hang", {}, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 20);
    await expect(hanging).rejects.toThrow("enough");
    await expect.poll(() => pair.cancelled()).toBe(1);
    await expect(endpoint.session().request("prompts/list")).rejects.toMatchObject({
      rpc: { code: -32_601 },
    });
  });
}
