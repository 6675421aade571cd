import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  linkedTransports,
  mountProtocolBridge,
  type ServerConfig,
} from "indusagi/interop";
import { MCPClient } from "indusagi/mcp";
import { expect } from "vitest";

const script = fileURLToPath(new URL("../../../../../test/servers/server.mjs", import.meta.url));

/** Two tools of one server under other names: the second wants the name of a tool that exists. */
const server: ServerConfig = {
  kind: "stdio",
  id: "s",
  command: process.execPath,
  args: [script],
  toolOverrides: {
    echo: { name: "say", description: "Says it." },
    fail: { name: "pid" },
    "no such tool": { name: "x" },
  },
};

verifies(
  "bridge:overrides",
  "a tool has its shown name and description, and runs under its own name",
  async () => {
    const reports: string[] = [];
    const { box, fleet } = await mountProtocolBridge(
      { servers: [server] },
      { report: (text) => reports.push(text) },
    );
    try {
      const names = box.descriptors().map(({ name }) => name);
      expect(names).toContain("s__say");
      expect(names).not.toContain("s__echo");
      const say = box.descriptors().find(({ name }) => name === "s__say");
      expect(say).toMatchObject({ description: "Says it.", origin: { server: "s", tool: "echo" } });
      expect(say?.definition?.["name"]).toBe("echo");
      const outcome = await box.runner.run({ id: "1", name: "s__say", input: { text: "hi" } });
      expect(outcome).toMatchObject({ isError: false, output: "hi" });
      // A renamed tool does not take the name of another tool.
      expect(box.descriptors().find(({ name }) => name === "s__pid")?.origin?.tool).toBe("pid");
      expect(reports).toEqual(['tool "fail" of server "s" is not offered: the name s__pid is taken']);

      // An MCP client of ours sees the same.
      const [ours, theirs] = linkedTransports();
      await createProviderHost(box).connect(ours);
      const client = new MCPClient({ name: "c", config: { command: "unused" }, transport: () => theirs });
      await client.connect();
      const listed = (await client.listTools()).find(({ name }) => name === "s__say");
      expect(listed?.description).toBe("Says it.");
      await client.disconnect();
    } finally {
      await fleet.tearDown();
    }
  },
);
