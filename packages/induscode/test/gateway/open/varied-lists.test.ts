import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig } from "indusagi/interop";
import { approveChanges, waitingChanges } from "induscode/deck";
import { expect } from "vitest";
import {
  initialize,
  inSession,
  modernRequest,
  send,
} from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { serveIn } from "./serve-in.ts";
import { keptIn } from "./served-library.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/varied.mjs", import.meta.url));
const UI = "io.modelcontextprotocol/ui";
const SHOWS_APPS = { [UI]: { mimeTypes: ["text/html;profile=mcp-app"] } };
const OTHERS = { "com.example/x": {} };

type Result = { readonly [member: string]: unknown };
type Declared = { readonly [id: string]: object };

function varied(id: string, options: object = {}): ServerConfig {
  return { kind: "stdio", id, command: process.execPath, args: [script, JSON.stringify(options)] };
}

/** The same server behind HTTP. It ends with its standard input. */
async function variedOverHttp(id: string): Promise<{ readonly row: ServerConfig } & Disposable> {
  const child = spawn(process.execPath, [script, "{}", "--http"], { stdio: ["pipe", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve) =>
    child.stdout.setEncoding("utf8").once("data", (line: string) => resolve(line.trim())),
  );
  return { row: { kind: "streamable-http", id, url }, [Symbol.dispose]: () => void child.kill() };
}

/** One request of the modern era, by a client that declares these extensions. */
async function ask(
  url: string,
  method: string,
  { extensions = {}, params = {}, token }: { extensions?: Declared; params?: object; token?: string } = {},
): Promise<Result> {
  const _meta = { "io.modelcontextprotocol/clientCapabilities": { extensions } };
  const { headers, body } = modernRequest(1, method, { ...params, _meta });
  const { uri } = params as { readonly uri?: string };
  const named = uri === undefined ? {} : { "mcp-name": uri };
  const auth = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { messages, text } = await send(url, { headers: { ...headers, ...named, ...auth }, body });
  const answer = messages.find(({ id }) => id === 1);
  if (!answer) throw new Error(text);
  return answer.result ?? { error: answer.error };
}

const MEMBERS = {
  "tools/list": ["tools", "name"],
  "prompts/list": ["prompts", "name"],
  "resources/list": ["resources", "uri"],
  "resources/templates/list": ["resourceTemplates", "uriTemplate"],
} as const;
type ListMethod = keyof typeof MEMBERS;

const itemsOf = (result: Result, method: ListMethod): string[] => {
  const [member, key] = MEMBERS[method];
  return ((result[member] ?? []) as readonly Result[]).map((item) => String(item[key])).sort();
};
const listed = async (url: string, method: ListMethod, extensions: Declared = {}): Promise<string[]> =>
  itemsOf(await ask(url, method, { extensions }), method);
const describedAs = async (url: string, name: string, extensions: Declared): Promise<unknown> => {
  const { tools } = await ask(url, "tools/list", { extensions });
  return (tools as readonly Result[]).find((tool) => tool["name"] === name)?.["description"];
};
const call = (url: string, name: string, extensions: Declared = {}): Promise<Result> =>
  ask(url, "tools/call", { extensions, params: { name, arguments: {} } });
const textOf = ({ content }: Result): string => (content as readonly [{ readonly text: string }])[0].text;
/** How often a server was asked for a list, by plain clients and by those with apps. */
const times = async (url: string, tool: string, method: ListMethod): Promise<readonly number[]> => {
  const asked = JSON.parse(textOf(await call(url, tool))) as { method: string; apps: boolean }[];
  const of = asked.filter((each) => each.method === method);
  return [of.filter(({ apps }) => !apps).length, of.filter(({ apps }) => apps).length];
};
const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 30_000, interval: 50 });
const OWN = ["asked", "change", "show"];
const named = (server: string, names: readonly string[]): string[] =>
  names.map((name) => `${server}__${name}`).sort();

for (const transport of ["stdio", "http"] as const)
  verifies(
    "extensions:lists",
    `a client with apps gets the lists made for it, and its calls reach their tools: ${transport}`,
    async () => {
      await using dir = await tempDir();
      using remote = transport === "http" ? await variedOverHttp("v") : undefined;
      const rows = [remote?.row ?? varied("v"), varied("other", { declares: false })];
      await using served = await serveIn(dir, { profile: "none" }, rows);
      const routes = [
        { url: served.url, name: (tool: string) => `v__${tool}` },
        { url: `${served.url}/v`, name: (tool: string) => tool },
      ];
      await soon(async () => (await listed(served.url, "tools/list")).length).toBe(6);
      for (const { url, name } of routes) {
        const isOwn = url !== served.url;
        const others = isOwn ? [] : named("other", OWN);
        const tools = (more: readonly string[]): string[] =>
          [...[...OWN, ...more].map(name), ...others].sort();
        expect(await listed(url, "tools/list", SHOWS_APPS)).toEqual(tools(["zoom"]));
        expect(await listed(url, "tools/list", OTHERS)).toEqual(tools([]));
        expect(await describedAs(url, name("show"), SHOWS_APPS)).toBe("Shows it as an app.");
        expect(await describedAs(url, name("show"), {})).toBe("Shows it as text.");
        expect(JSON.parse(textOf(await call(url, name("zoom"), SHOWS_APPS)))).toEqual({
          name: "zoom",
          apps: true,
        });
        expect(JSON.parse(textOf(await call(url, name("show"))))).toEqual({ name: "show", apps: false });
        expect(await call(url, name("zoom"))).toMatchObject({ error: { code: -32602 } });
        for (const [method, more] of [
          ["prompts/list", name("picture")],
          ["resources/list", "varied://picture"],
          ["resources/templates/list", "varied://picture/{size}"],
        ] as const) {
          expect(await listed(url, method, SHOWS_APPS), method).toContain(more);
          expect(await listed(url, method), method).not.toContain(more);
        }
        const page = await ask(url, "resources/read", {
          extensions: SHOWS_APPS,
          params: { uri: "ui://varied/page.html" },
        });
        expect(page).toMatchObject({ contents: [{ text: "read ui://varied/page.html" }] });
        const prompt = { extensions: SHOWS_APPS, params: { name: name("picture"), arguments: {} } };
        expect(await ask(url, "prompts/get", prompt)).toMatchObject({ messages: [{ role: "user" }] });
        // Another client may see something else.
        expect(await ask(url, "tools/list", { extensions: SHOWS_APPS })).toMatchObject({
          cacheScope: "private",
        });
      }
      // All clients of one kind share a list, and a server without the extension is asked once.
      expect(await times(served.url, "v__asked", "tools/list")).toEqual([expect.any(Number), 1]);
      expect(await times(served.url, "other__asked", "tools/list")).toEqual([1, 0]);
      expect(await times(served.url, "other__asked", "prompts/list")).toEqual([expect.any(Number), 0]);
      // A client of the legacy era declares it once.
      const { headers } = await initialize(served.url, {}, { extensions: SHOWS_APPS });
      const session = inSession(String(headers["mcp-session-id"]));
      const body = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
      const { messages } = await send(served.url, { headers: session, body });
      expect(itemsOf(messages.find(({ id }) => id === 2)?.result ?? {}, "tools/list")).toContain("v__zoom");
    },
    { timeoutMs: 60_000 },
  );

verifies(
  "extensions:lists-kept",
  "a reported change renews the lists, and after a restart they are offered before the server runs",
  async () => {
    await using dir = await tempDir();
    const rows = [varied("v")];
    {
      await using served = await serveIn(dir, { profile: "none" }, rows);
      await soon(() => listed(served.url, "tools/list", SHOWS_APPS)).toEqual(named("v", [...OWN, "zoom"]));
      const asked = await times(served.url, "v__asked", "prompts/list");
      await call(served.url, "v__change");
      await soon(() => listed(served.url, "tools/list", SHOWS_APPS)).toContain("v__extra0");
      expect(await listed(served.url, "tools/list")).toEqual(named("v", OWN));
      await listed(served.url, "prompts/list", SHOWS_APPS);
      expect((await times(served.url, "v__asked", "prompts/list"))[1]).toBeGreaterThan(asked[1] ?? 0);
      await soon(() => keptIn(dir.at("state"))).toMatch(/"classes":.*extra0.*varied:\/\/picture/);
    }
    await using served = await serveIn(dir, { profile: "none", lazy: true }, rows);
    const { fleet } = served.gateway.servers;
    expect(await listed(served.url, "tools/list", SHOWS_APPS)).toEqual(
      named("v", [...OWN, "zoom", "extra0"]),
    );
    expect(await listed(served.url, "tools/list")).toEqual(named("v", OWN));
    expect(await listed(served.url, "resources/list", SHOWS_APPS)).toContain("varied://picture");
    expect(await listed(served.url, "resources/list")).not.toContain("varied://picture");
    expect(fleet.statusOf("v")?.state).toBe("dormant");
    // The new process has not changed: its list replaces the remembered one.
    expect(JSON.parse(textOf(await call(served.url, "v__zoom", SHOWS_APPS)))).toMatchObject({ apps: true });
    await soon(() => listed(served.url, "tools/list", SHOWS_APPS)).toEqual(named("v", [...OWN, "zoom"]));
  },
  { timeoutMs: 60_000 },
);

verifies(
  "extensions:lists-kept",
  "the first list of a client with apps waits for a server whose list for it is not known",
  async () => {
    await using dir = await tempDir();
    const rows = [varied("v")];
    {
      await using served = await serveIn(dir, { profile: "none" }, rows);
      await soon(() => listed(served.url, "tools/list")).toEqual(named("v", OWN));
      await soon(() => keptIn(dir.at("state"))).toContain("io.modelcontextprotocol/ui");
    }
    await using served = await serveIn(dir, { profile: "none" }, rows);
    expect(await listed(served.url, "tools/list", SHOWS_APPS)).toEqual(named("v", [...OWN, "zoom"]));
  },
  { timeoutMs: 60_000 },
);

verifies(
  "extensions:lists-ruled",
  "a changed tool that only clients with apps get is held or quarantined until it is approved",
  async () => {
    await using dir = await tempDir();
    const rows = [varied("v"), { ...varied("strict"), pin: "quarantine" } as const];
    await using served = await serveIn(dir, { profile: "none" }, rows);
    await soon(() => listed(served.url, "tools/list", SHOWS_APPS)).toEqual(
      [...named("v", [...OWN, "zoom"]), ...named("strict", [...OWN, "zoom"])].sort(),
    );
    for (const server of ["v", "strict"]) await call(served.url, `${server}__change`);
    await soon(() => listed(served.url, "tools/list", SHOWS_APPS)).toContain("v__extra0");
    await soon(() => listed(served.url, "tools/list", SHOWS_APPS)).not.toContain("strict__zoom");
    expect(await describedAs(served.url, "v__zoom", SHOWS_APPS)).toBe("Zooms.");
    const refused = JSON.stringify(await call(served.url, "strict__zoom", SHOWS_APPS));
    expect(refused).toMatch(/quarantined.*indus mcp approve strict__zoom/);
    // Others do not learn of it, but the user does.
    expect(JSON.stringify(await call(served.url, "strict__zoom"))).not.toContain("quarantined");
    expect(textOf(await call(served.url, "indus__status"))).toContain("zoom");
    const { path } = await served.run.state.folder();
    // Decisions are stored in the background.
    const waiting = (): string[] => waitingChanges(path).changes.map(({ target, op }) => `${target} ${op}`);
    await soon(() => waiting().sort()).toEqual(["strict__zoom quarantine", "v__zoom hold"]);
    await approveChanges(path, waitingChanges(path).changes);
    await soon(() => listed(served.url, "tools/list", SHOWS_APPS)).toContain("strict__zoom");
    await soon(() => describedAs(served.url, "v__zoom", SHOWS_APPS)).toMatch(/ignores/);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "extensions:lists-ruled",
  "rules, filters of rows, --tools, tokens and profiles apply to it",
  async () => {
    await using dir = await tempDir();
    const rows: ServerConfig[] = [
      varied("v"),
      { ...varied("denied") },
      { ...varied("some"), excludeTools: ["zoom"] },
      { ...varied("renamed"), toolOverrides: { zoom: { name: "magnify" } } },
    ];
    const offered = {
      profile: "none",
      policy: { mode: "default", allow: [], deny: ["denied__zoom"] },
      selection: { tools: ["*__zoom", "*__show", "*__magnify"] },
      profiles: [{ name: "few", tools: ["v__zoom"] }],
    } as const;
    await using served = await serveIn(dir, offered, rows);
    await soon(() => listed(served.url, "tools/list", SHOWS_APPS)).toEqual(
      ["v__show", "v__zoom", "denied__show", "some__show", "renamed__show", "renamed__magnify"].sort(),
    );
    for (const name of ["denied__zoom", "some__zoom", "v__change"])
      expect(JSON.stringify(await call(served.url, name, SHOWS_APPS)), name).toMatch(/error/i);
    expect(JSON.stringify(await call(`${served.url}/denied`, "zoom", SHOWS_APPS))).toMatch(/deni/);
    expect(JSON.parse(textOf(await call(served.url, "renamed__magnify", SHOWS_APPS)))).toMatchObject({
      name: "zoom",
    });
    expect(await listed(`${served.url}/p/few`, "tools/list", SHOWS_APPS)).toEqual(["v__zoom"]);
    expect(await listed(`${served.url}/p/few`, "tools/list")).toEqual([]);
    const { token } = await (await workspaceTokens(served.run)).add("shows", { tools: ["v__show"] });
    const asked = { extensions: SHOWS_APPS, token };
    expect(itemsOf(await ask(served.url, "tools/list", asked), "tools/list")).toEqual(["v__show"]);
    const zoom = await ask(served.url, "tools/call", {
      ...asked,
      params: { name: "v__zoom", arguments: {} },
    });
    expect(zoom).toMatchObject({ error: { code: -32602 } });
    // A rule about a tool that only some clients get names a tool that exists.
    expect(served.reports.join("")).not.toContain("zoom");
  },
  { timeoutMs: 60_000 },
);
