import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { MCPClient } from "indusagi/mcp";
import type { BenchCase } from "./case.ts";
import { ratioOf } from "./measure.ts";

const script = fileURLToPath(new URL("../test/servers/server.mjs", import.meta.url));
const launch = { command: process.execPath, args: [script, "--era", "legacy"] };
const TEXT = "x".repeat(64);

async function inTurn(call: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 400; i++) await call();
}

const calling: BenchCase = {
  id: "facade-call",
  summary: "calls one after another through MCPClient / through the bare SDK client",
  measure: async () => {
    const ours = new MCPClient({ name: "s", config: launch });
    const theirs = new Client({ name: "bench", version: "1.0.0" });
    await Promise.all([ours.connect(), theirs.connect(new StdioClientTransport(launch))]);
    try {
      return await ratioOf(
        { name: "MCPClient", run: () => inTurn(() => ours.callTool("echo", { text: TEXT })) },
        {
          name: "SDK",
          run: () => inTurn(() => theirs.callTool({ name: "echo", arguments: { text: TEXT } })),
        },
      );
    } finally {
      await Promise.all([ours.disconnect(), theirs.close()]);
    }
  },
};

export const facadeCases: readonly BenchCase[] = [calling];
