import { realpath } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { MCPClient, type MCPServerConfig } from "indusagi/mcp";
import { expect } from "vitest";
import { serveHttp } from "../../../../../test/servers/server.mjs";
import { scripted } from "../../interop/kit/scripted.ts";
import { scriptedOptions } from "../kit/in-process.ts";
import { textOf } from "./text-of.ts";

verifies("mcp-client:options", "a process gets its working folder and environment", async () => {
  await using dir = await tempDir();
  const { command, args = [] } = scripted("s");
  const env = { MINE: "yes", SHOWS: "1" };
  await using client = new MCPClient({ name: "s", config: { command, args, cwd: dir.path, env } });
  await client.connect();
  expect(JSON.parse(textOf(await client.callTool("env")))).toMatchObject(env);
  const pid = Number(textOf(await client.callTool("pid")));
  if (process.platform === "linux") expect(await realpath(`/proc/${pid}/cwd`)).toBe(dir.path);
});

verifies(
  "mcp-client:options",
  "HTTP servers get headers, fetch, a token and the transport that was set",
  async () => {
    const server = await serveHttp({ token: "t0ken-of-some-length" });
    const connectable = async (config: MCPServerConfig, token?: string): Promise<string> => {
      const auth = token === undefined ? {} : { auth: { token: async () => token } };
      await using client = new MCPClient({ name: "h", config, ...auth });
      return await client.connect().then(
        () => "ok",
        (thrown: unknown) => JSON.stringify(thrown),
      );
    };
    let fetched = 0;
    const counting: typeof fetch = (...request) => {
      fetched += 1;
      return fetch(...request);
    };
    const headers = { authorization: "Bearer t0ken-of-some-length" };
    expect(await connectable({ url: new URL(server.url), headers })).toBe("ok");
    expect(await connectable({ url: server.url, headers, fetch: counting })).toBe("ok");
    expect(fetched).toBeGreaterThan(0);
    expect(await connectable({ url: server.url, type: "streamable-http" }, "t0ken-of-some-length")).toBe(
      "ok",
    );
    const refused = await connectable({ url: server.url, headers: { authorization: "Bearer wrong-secret" } });
    expect(JSON.parse(refused)).toMatchObject({
      code: "CONNECTION_FAILED",
      serverName: "h",
      details: { status: 401 },
    });
    expect(refused).not.toContain("wrong-secret");
    await server.close();
  },
);

verifies("mcp-client:options", "only the selected tools are listed", async () => {
  const only = { includeTools: ["echo", "fail", "pid"], excludeTools: ["fail"] };
  await using client = new MCPClient({ ...scriptedOptions("s"), ...only });
  await client.connect();
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["echo", "pid"]);
});
