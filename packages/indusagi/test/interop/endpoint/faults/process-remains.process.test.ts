import { verifies } from "@indus/testkit";
import {
  createServerEndpoint,
  type ProtocolFault,
  type StdioServerConfig,
  startServerFleet,
} from "indusagi/interop";
import { expect } from "vitest";

const node = (script: string, env: Record<string, string> = {}): StdioServerConfig => ({
  kind: "stdio",
  id: "s",
  command: process.execPath,
  args: ["--input-type=module", "-e", script],
  env,
});

async function faultOf(config: StdioServerConfig): Promise<ProtocolFault> {
  const thrown: unknown = await createServerEndpoint(config)
    .open()
    .catch((fault: unknown) => fault);
  return thrown as ProtocolFault;
}

verifies("diagnose:exit", "a process that closes its input some time before it exits", async () => {
  const script = `import { closeSync } from "node:fs";
    closeSync(0);
    setTimeout(() => { console.error("Error: the database is locked"); process.exitCode = 4; }, 300);`;
  const fault = await faultOf(node(script));
  expect(fault).toMatchObject({ kind: "spawn_failed", details: { exit: { code: 4 } } });
  expect(fault.message).toBe(
    'server "s" exited before it was connected (exit code 4); standard error: Error: the database is locked',
  );
});

/** Answers until it has listed its tools, then closes its input and exits a little later. */
const LEAVING = `
  import { createInterface } from "node:readline";
  const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize")
      say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    else if (method === "tools/list") {
      say(id, { tools: [] });
      process.stdin.destroy();
      setTimeout(() => { console.error("panic: out of ink"); process.exit(5); }, 400);
    } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
  });`;

verifies("diagnose:exit", "a call that meets a process that has just closed its input", async () => {
  const endpoint = createServerEndpoint(node(LEAVING));
  await endpoint.open();
  await endpoint.listTools();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const fault: unknown = await endpoint.invoke("x", {}).catch((thrown: unknown) => thrown);
  expect(fault).toMatchObject({
    kind: "transport",
    message: 'server "s" ended the connection (exit code 5); standard error: panic: out of ink',
    details: { exit: { code: 5 } },
  });
  await expect.poll(() => endpoint.phase).toBe("faulted");
  await endpoint.close();
});

verifies(
  "diagnose:reason",
  "the note about a real crash quotes the error, and the status has its lines",
  async () => {
    const fleet = await startServerFleet(
      {
        servers: [node(`throw new Error("no config", { cause: new TypeError("not a file \\u001b[31m") });`)],
      },
      { supervision: false },
    );
    const status = fleet.status().get("s");
    expect(status?.summary).toContain("(exit code 1); standard error: Error: no config; run its command");
    expect(status?.stderrReason).toEqual(["Error: no config", "[cause]: TypeError: not a file"]);
    expect(status?.stderrTail).toMatch(/Node\.js v\d+/);
    expect(status?.fault?.details.stderr).toContain("at ");
    await fleet.tearDown();
  },
);

verifies(
  "diagnose:variables",
  "the note names the variable that was not passed on, and no secret",
  async () => {
    process.env["DIAGNOSE_API_KEY"] = "hunter2-hunter2";
    try {
      const script = `console.error("Missing DIAGNOSE_API_KEY, I have", process.env.GIVEN_TOKEN); process.exit(1);`;
      const fleet = await startServerFleet(
        { servers: [node(script, { GIVEN_TOKEN: "swordfish-swordfish" })] },
        { supervision: false },
      );
      const status = fleet.status().get("s");
      expect(status?.summary).toContain('add "env": { "DIAGNOSE_API_KEY": "${DIAGNOSE_API_KEY}" }');
      expect(status?.fault?.details.unpassed).toEqual(["DIAGNOSE_API_KEY"]);
      expect(JSON.stringify([status, status?.fault?.details])).not.toMatch(/hunter2|swordfish/);
      await fleet.tearDown();
    } finally {
      delete process.env["DIAGNOSE_API_KEY"];
    }
  },
);
