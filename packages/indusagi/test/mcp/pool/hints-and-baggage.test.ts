import { writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { linkedTransports, type RpcMessage } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { loadMCPConfig, MCPClientPool, type MCPConnectionOptions } from "indusagi/mcp";
import { expect } from "vitest";
import { createHintedServer, type HintedServerOptions } from "../../../../../test/servers/hinted.mjs";

/** Options for a client of a server in this process that states hints. */
function hinted(
  name: string,
  server: HintedServerOptions,
  options: Partial<MCPConnectionOptions> = {},
): MCPConnectionOptions {
  const transport = () => {
    const [ours, theirs] = linkedTransports();
    const send = (message: RpcMessage): void => void theirs.send(message).catch(() => {});
    theirs.onmessage = createHintedServer(send, server);
    void theirs.start();
    return ours;
  };
  return { name, config: { command: "(in this process)" }, transport, ...options };
}

verifies(
  "relay:cache-renewed",
  "a client's listTools asks again once the lifetime is over, and not before, if the server reports no changes",
  async () => {
    const hint = (ttlMs: number) => ({ ttlMs, cacheScope: "public" }) as const;
    await using pool = new MCPClientPool({
      servers: [
        hinted("short", { announces: false, hint: hint(1) }),
        hinted("long", { announces: false, hint: hint(3_600_000) }),
      ],
    });
    await pool.connectAll();
    for (const [server, isRenewed] of [
      ["long", false],
      ["short", true],
    ] as const) {
      const client = pool.getClient(server);
      const count = async (): Promise<number | undefined> => (await client?.listTools())?.length;
      const known = (await count()) ?? 0;
      await client?.callTool("grow");
      if (isRenewed) await expect.poll(count, { timeout: 20_000 }).toBe(known + 1);
      else expect(await count()).toBe(known);
    }
  },
);

verifies(
  "relay:trace",
  "a pool sends baggage to a server only if its options or its row say so",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("mcp.json");
    await writeFile(file, JSON.stringify({ servers: { wide: { command: "x", passBaggage: true } } }));
    const [row] = loadMCPConfig(file, { env: {} });
    expect(row).toMatchObject({ passBaggage: true });
    await using pool = new MCPClientPool({
      servers: [hinted("strict", {}), hinted("wide", {}, { passBaggage: row?.passBaggage === true })],
    });
    await pool.connectAll();
    const meta = {
      baggage: "userId=alice",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    };
    for (const [server, baggage] of [
      ["strict", undefined],
      ["wide", meta.baggage],
    ] as const) {
      const isMeant = ({ origin }: ToolDescriptor) => origin?.server === server && origin.tool === "item0";
      const name = pool.toolBox().descriptors().find(isMeant)?.name ?? "";
      const call = { id: "1", name, input: {}, meta };
      expect((await pool.toolBox().runner.run(call)).isError).toBe(false);
      const { content } = (await pool.getClient(server)?.callTool("asked")) ?? { content: [] };
      const [{ text } = { text: "[]" }] = content as readonly { readonly text: string }[];
      const asked = JSON.parse(text) as { readonly method: string; readonly meta: Partial<typeof meta> }[];
      const received = asked.find(({ method }) => method === "tools/call")?.meta;
      expect(received?.traceparent).toBe(meta.traceparent);
      expect(received?.baggage).toBe(baggage);
    }
  },
);
