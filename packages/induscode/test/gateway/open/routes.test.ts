import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import type { ServerConfig, ServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { connectTo, names, serveIn } from "./serve-in.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));
const READ_ONLY = ["read", "ls", "grep", "find", "websearch", "webfetch", "todo_read"];

/** A tool with members that only its own server knows. */
const tool = (name: string, members: object = {}): object => ({
  name,
  title: `The ${name}`,
  description: `Does ${name}. ${"Long. ".repeat(500)}`,
  inputSchema: { type: "object", properties: { q: { type: "string", "x-mine": [1] } } },
  annotations: { readOnlyHint: true },
  icons: [{ src: "data:image/png;base64,AA==" }],
  _meta: { "example.com/kept": true },
  ...members,
});

/** A server that offers these tools. */
async function listedServer(dir: TempDir, id: string, tools: readonly object[]): Promise<ServerConfig> {
  const file = dir.at(`${id.replaceAll("/", "_")}.tools.json`);
  await writeFile(file, JSON.stringify({ tools, instructions: "Ask before you delete." }));
  return { kind: "stdio", id, command: process.execPath, args: [script, file] };
}

const textOf = (result: { readonly content: readonly unknown[] }): string => JSON.stringify(result.content);

verifies(
  "routes:server",
  "one server has its own names and definitions, and the policy sees the real tool",
  async () => {
    await using dir = await tempDir();
    const offered = [tool("search"), tool("delete_all"), tool("renamed")];
    const servers = [
      { ...(await listedServer(dir, "notes", offered)), toolOverrides: { renamed: { name: "shown" } } },
      await listedServer(dir, "odd/id ü", [tool("search")]),
      { ...(await listedServer(dir, "off", [])), enabled: false },
      { ...(await listedServer(dir, "waits", [])), pending: true },
    ];
    const policy = { mode: "default", allow: [], deny: ["notes__delete_all"] } as const;
    await using served = await serveIn(dir, { policy, listing: "search" }, servers);
    const all = await connectTo(served.url);
    expect(await names(all)).toContain("tool_search");

    const notes = await connectTo(`${served.url}/notes`);
    const definitions = (await notes.listTools()).map(({ definition }) => definition);
    expect(definitions).toEqual([offered[0], offered[2]]);
    const { serverInfo, capabilities, instructions } = notes.session();
    expect([serverInfo, capabilities, instructions]).toEqual([
      { name: "listed", version: "1.0.0" },
      { tools: {}, prompts: {} },
      "Ask before you delete.",
    ]);
    expect(textOf(await notes.invoke("search", {}))).toContain("called search");
    expect(textOf(await notes.invoke("renamed", {}))).toContain("called renamed");
    expect(textOf(await notes.invoke("delete_all", {}))).toMatch(/notes__delete_all was refused by .*deny/);
    for (const name of ["delete_all", "notes__search", "shown", "ls"])
      await expect(outcome(notes, name), name).resolves.toBe("refused");

    const odd = await connectTo(`${served.url}/${encodeURIComponent("odd/id ü")}`);
    expect(await names(odd)).toEqual(["search"]);
    for (const route of ["off", "waits", "nothing", "p/nothing", "notes/more"]) {
      const answer = await fetch(`${served.url}/${route}`, { method: "POST", body: "{}" });
      expect(answer.status, route).toBe(404);
      expect(await answer.json()).toMatchObject({
        error: {
          data: {
            routes: ["/mcp", "/mcp/notes", "/mcp/odd%2Fid%20%C3%BC", "/mcp/p/none", "/mcp/p/read-only"],
          },
        },
      });
    }
    for (const client of [all, notes, odd]) await client.close();
  },
  { timeoutMs: 60_000 },
);

async function outcome(client: ServerEndpoint, name: string): Promise<"ran" | "refused"> {
  try {
    return (await client.invoke(name, {})).isError ? "refused" : "ran";
  } catch {
    return "refused";
  }
}

verifies(
  "routes:profile",
  "a profile leaves out tools, adds none, and may list them in its own way; a change of it reaches its clients",
  async () => {
    await using dir = await tempDir();
    const servers = [
      await listedServer(dir, "github", [tool("get_issue"), tool("drop_repo")]),
      await listedServer(dir, "files", [tool("get_file")]),
    ];
    const profiles = [
      { name: "docs", servers: ["git*"], tools: ["*__get_*", "read", "bash"] },
      { name: "found", native: "none", listing: "search" },
      { name: "wrong", servers: ["nobody"], tools: ["raed"] },
    ] as const;
    await using served = await serveIn(dir, { profile: "full", profiles }, servers);
    const { url, token } = served;
    const offered = async (profile: string): Promise<string[]> => {
      const client = await connectTo(`${url}/p/${profile}`, { token });
      const found = await names(client);
      await client.close();
      return found;
    };
    const mounted = ["github__get_issue", "github__drop_repo", "files__get_file"];
    expect(await offered("docs")).toEqual(["read", "bash", "github__get_issue"]);
    expect(await offered("none")).toEqual(mounted);
    expect(await offered("read-only")).toEqual([...READ_ONLY, ...mounted]);
    expect(await offered("full")).toHaveLength(12 + mounted.length);
    expect(await offered("found")).toContain("tool_search");
    expect(await offered("wrong")).toEqual([]);
    // The gateway offers `full`, so that `all` would be more.
    expect(
      (await fetch(`${url}/p/all`, { method: "POST", headers: { Authorization: `Bearer ${token}` } })).status,
    ).toBe(404);
    expect(served.reports.join("")).toContain('profile "wrong": there is no tool named "raed"');
    expect(served.reports.join("")).toContain('profile "wrong": there is no server named "nobody"');

    const docs = await connectTo(`${url}/p/docs`, { token });
    expect(await names(docs)).toHaveLength(3);
    let changes = 0;
    docs.onToolsChanged(() => (changes += 1));
    await served.gateway.apply({ servers, profiles: [{ name: "docs", servers: ["files"], native: "none" }] });
    await expect.poll(() => changes, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await names(docs)).toEqual(["files__get_file"]);
    expect(await outcome(docs, "github__get_issue")).toBe("refused");
    await served.gateway.apply({ servers });
    await expect(docs.invoke("files__get_file", {})).rejects.toThrow();
    await docs.close();
  },
  { timeoutMs: 60_000 },
);
