import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { loadServerConfigs, parseServerConfig } from "indusagi/config";
import { createServerEndpoint, type ServerConfig, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { serveHttp } from "../../../../../../test/servers/server.mjs";

const SERVER = fileURLToPath(new URL("../../../../../../test/servers/server.mjs", import.meta.url));
const textOf = (result: { readonly content: readonly unknown[] }): string =>
  (result.content[0] as { readonly text: string }).text;

/** A command that writes a value, and a mark for each run. */
const printing = (value: string, marks: string): string[] => [
  process.execPath,
  "-e",
  "require('fs').appendFileSync(process.argv[2], 'x'); console.log(process.argv[1])",
  value,
  marks,
];

verifies(
  "endpoint:command-value",
  "a process gets the output of a command, which runs once at a start",
  async () => {
    await using dir = await tempDir();
    const command = printing("s3cret-value", dir.at("marks"));
    const row = {
      command: process.execPath,
      args: [SERVER, "--die-on-unknown", "--starts", dir.at("starts")],
      env: { PLAIN: "plain", TOKEN: { fromCommand: command }, SAME: { fromCommand: command } },
    };
    const { servers, diagnostics } = parseServerConfig(JSON.stringify({ servers: { s: row } }));
    expect(diagnostics).toEqual([]);
    expect(existsSync(dir.at("marks"))).toBe(false); // Reading a file runs nothing.
    const endpoint = createServerEndpoint(servers[0]?.config as ServerConfig);
    await endpoint.open();
    const env = JSON.parse(textOf(await endpoint.invoke("env", {}))) as Record<string, string>;
    expect(env).toMatchObject({ PLAIN: "plain", TOKEN: "s3cret-value", SAME: "s3cret-value" });
    expect(JSON.stringify(endpoint.status())).not.toContain("s3cret");
    await endpoint.close();
    // The server exits at the probe and is started a second time, with the same values.
    expect(readFileSync(dir.at("starts"), "utf8").trim().split("\n")).toHaveLength(2);
    expect(readFileSync(dir.at("marks"), "utf8")).toBe("x");
  },
);

verifies(
  "endpoint:command-value",
  "a server behind HTTP gets it as a header, and no fault contains it",
  async () => {
    await using dir = await tempDir();
    const server = await serveHttp({ token: "s3cret-value" });
    const config = (value: string): ServerConfig => ({
      kind: "streamable-http",
      id: "h",
      url: server.url,
      onMismatch: "fail",
      fromCommand: { authorization: printing(value, dir.at("marks")) },
    });
    const endpoint = createServerEndpoint(config("Bearer s3cret-value"));
    await endpoint.open();
    expect(await endpoint.listTools()).toHaveLength(22);
    await endpoint.close();
    const fault: unknown = await createServerEndpoint(config("Bearer wrong-s3cret"))
      .open()
      .catch((thrown: unknown) => thrown);
    expect(fault).toMatchObject({ reason: "auth" });
    for (let error = fault; error instanceof Error; error = error.cause)
      expect(`${JSON.stringify(error)}${error.stack}`).not.toContain("wrong-s3cret");
    await server.close();
  },
);

verifies(
  "endpoint:command-value",
  "a command that fails is named without its output, and not repeated",
  async () => {
    await using dir = await tempDir();
    appendFileSync(dir.at("marks"), "");
    const fails = "require('fs').appendFileSync(process.argv[1], 'x'); console.log('hush'); process.exit(2)";
    const servers: ServerConfig[] = [
      {
        kind: "stdio",
        id: "s",
        command: process.execPath,
        args: [SERVER],
        fromCommand: { TOKEN: [process.execPath, "-e", fails, dir.at("marks")] },
      },
      {
        kind: "streamable-http",
        id: "h",
        url: "http://127.0.0.1:9/mcp",
        fromCommand: { "x-key": [process.execPath, "-e", "console.log('hush\\nhush')"] },
      },
    ];
    const fleet = await startServerFleet({ servers });
    const [stdio, http] = [...fleet.status().values()];
    expect(stdio?.summary).toContain('the command for "TOKEN" failed (exit code 2)');
    expect(stdio?.summary).toContain("run the command");
    expect(http?.summary).toContain('"x-key" wrote a character that a header cannot carry');
    expect([stdio?.fault?.kind, http?.fault?.kind]).toEqual(["spawn_failed", "transport"]);
    expect(JSON.stringify([stdio, http])).not.toContain("hush");
    expect(readFileSync(dir.at("marks"), "utf8")).toBe("x");
    await fleet.tearDown();
  },
);

verifies("endpoint:command-value", "a row of a project that waits for approval runs no command", async () => {
  await using dir = await tempDir();
  const command = printing("v", dir.at("marks"));
  const text = JSON.stringify({ servers: { s: { command: "x", env: { T: { fromCommand: command } } } } });
  const places = [{ scope: "project" as const, file: dir.at("mcp.json") }];
  const { servers } = loadServerConfigs({ places, readText: () => ({ text }) });
  expect(servers).toMatchObject([{ pending: true, config: { fromCommand: { T: command } } }]);
  expect(existsSync(dir.at("marks"))).toBe(false);
});
