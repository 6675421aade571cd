import { verifies } from "@indus/testkit";
import { Client } from "@modelcontextprotocol/client";
import {
  clientBox,
  createProviderHost,
  type Extensions,
  extensionKey,
  linkedTransports,
  mountProtocolBridge,
  type ProtocolEra,
  RELAYED_EXTENSIONS,
  type RelayScope,
  relayFleet,
} from "indusagi/interop";
import { expect } from "vitest";
import { type AppServer, appServer } from "./app-server.ts";

const UI = "io.modelcontextprotocol/ui";
const TASKS = "io.modelcontextprotocol/tasks";
const DPOP = "io.modelcontextprotocol/auth/dpop";
const ERAS: readonly ProtocolEra[] = ["legacy", "modern"];
const CELLS = ERAS.flatMap((server) => ERAS.map((client) => [server, client] as const));
const SHOWS_APPS: Extensions = {
  [UI]: { mimeTypes: ["text/html;profile=mcp-app"] },
  [DPOP]: {},
  "com.example/y": {},
};

interface Gateway extends AsyncDisposable {
  client(era: ProtocolEra, extensions: Extensions): Promise<Client>;
  readonly servers: readonly AppServer[];
}

/** A gateway in front of app servers with the ids `a`, `b`, …, one per era given. */
async function gatewayOf(eras: readonly ProtocolEra[], scope: RelayScope = {}): Promise<Gateway> {
  const made = new Map<string, AppServer>();
  const ids = eras.map((_, at) => String.fromCharCode(97 + at));
  const { box, fleet } = await mountProtocolBridge(
    { servers: ids.map((id) => ({ kind: "stdio", id, command: "(in this process)" })) },
    {
      relays: { extensions: RELAYED_EXTENSIONS },
      transport: ({ id }) => {
        const server = appServer(id, eras[ids.indexOf(id)] ?? "legacy");
        made.set(id, server);
        return server.transport;
      },
    },
  );
  const relay = relayFleet(fleet);
  const shared = relay.relayedBox(box);
  const host = createProviderHost(
    ({ extensions }) => clientBox(shared, extensions),
    undefined,
    relay.clientProviders(scope),
    { clientExtensions: scope.only === undefined ? "relayed" : "all" },
  );
  const ends: (() => Promise<unknown>)[] = [];
  return {
    servers: ids.flatMap((id) => made.get(id) ?? []),
    client: async (era, extensions) => {
      const [ours, theirs] = linkedTransports();
      const running = await host.connect(theirs);
      const client = new Client(
        { name: "app-host", version: "1" },
        {
          capabilities: { extensions: extensions as never },
          versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
        },
      );
      await client.connect(ours as never);
      ends.push(() => client.close(), running.cancel.bind(running));
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) await end();
      await fleet.tearDown();
    },
  };
}

const namesOf = (tools: readonly { readonly name: string }[]): string[] =>
  tools.map(({ name }) => name).sort();

for (const [serverEra, clientEra] of CELLS) {
  const cell = `${clientEra} client, ${serverEra} server`;
  verifies(
    "extensions:advertised",
    `known extensions are advertised, others only on the route of one server: ${cell}`,
    async () => {
      await using all = await gatewayOf([serverEra, serverEra]);
      const seen = (await all.client(clientEra, {})).getServerCapabilities();
      expect(seen?.extensions).toEqual({ [UI]: {} });
      expect(seen?.experimental).toBeUndefined();
      await using one = await gatewayOf([serverEra, serverEra], { only: "a" });
      const own = (await one.client(clientEra, {})).getServerCapabilities();
      expect(own?.extensions).toEqual({ [UI]: {}, "com.example/x": { level: 1 } });
    },
  );

  verifies(
    "extensions:declared",
    `a server learns what its client declared, without its logins: ${cell}`,
    async () => {
      await using gateway = await gatewayOf([serverEra]);
      const client = await gateway.client(clientEra, { ...SHOWS_APPS, [TASKS]: {} });
      await client.callTool({ name: "a__plain", arguments: {} });
      const other = await gateway.client(clientEra, {});
      await other.callTool({ name: "a__plain", arguments: {} });
      const declared = gateway.servers[0]?.declared ?? [];
      if (serverEra === "legacy")
        expect(declared.at(-1)).toEqual({ method: "initialize", extensions: RELAYED_EXTENSIONS });
      else {
        const calls = declared.filter(({ method }) => method === "tools/call");
        // In a legacy session the id of tasks means nothing.
        const tasks = clientEra === "modern" ? { [TASKS]: {} } : {};
        const passed = { [UI]: SHOWS_APPS[UI], ...tasks };
        expect(calls.map(({ extensions }) => extensions)).toEqual([passed, undefined]);
      }
      expect(JSON.stringify(declared)).not.toContain("dpop");
    },
  );

  verifies(
    "apps:app-only",
    `tools for apps only are listed for clients that show apps: ${cell}`,
    async () => {
      await using gateway = await gatewayOf([serverEra]);
      const shows = await gateway.client(clientEra, SHOWS_APPS);
      const shownTools = (await shows.listTools()).tools;
      expect(namesOf(shownTools)).toEqual(["a__plain", "a__show", "a__zoom"]);
      const plain = await gateway.client(clientEra, {});
      expect(namesOf((await plain.listTools()).tools)).toEqual(["a__plain", "a__show"]);
      await expect(plain.callTool({ name: "a__zoom", arguments: {} })).rejects.toThrow(/a__zoom/);
    },
  );

  verifies(
    "apps:names",
    `pages that only tools and results name can be read, also after a clash: ${cell}`,
    async () => {
      await using one = await gatewayOf([serverEra]);
      const single = await one.client(clientEra, SHOWS_APPS);
      await single.listTools();
      const page = "ui://chart/view.html";
      expect((await single.readResource({ uri: page })).contents).toMatchObject([
        { uri: page, text: "<p>a</p>" },
      ]);
      await using two = await gatewayOf([serverEra, serverEra]);
      const client = await two.client(clientEra, SHOWS_APPS);
      const { tools } = await client.listTools();
      for (const server of ["a", "b"]) {
        const shown = `ui://indus+${server}/chart/view.html`;
        const meta = tools.find(({ name }) => name === `${server}__show`)?._meta;
        expect(meta).toEqual({ ui: { resourceUri: shown }, "ui/resourceUri": shown });
        const { contents } = await client.readResource({ uri: shown });
        expect(contents).toMatchObject([{ uri: shown, text: `<p>${server}</p>` }]);
        const result = await client.callTool({ name: `${server}__plain`, arguments: {} });
        const { resourceUri } = (result._meta as { readonly ui: { readonly resourceUri: string } }).ui;
        expect((await client.readResource({ uri: resourceUri })).contents).toMatchObject([
          { text: `<p>${server}</p>` },
        ]);
      }
      await expect(client.readResource({ uri: page })).rejects.toThrow(/indus\+a.*indus\+b/);
    },
  );
}

const AS_IS = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as never;

for (const [serverEra, clientEra] of CELLS)
  verifies(
    "extensions:forwarded",
    `a request of an unknown extension reaches its server as it is: ${clientEra} client, ${serverEra} server`,
    async () => {
      const forwards: RelayScope["forwards"] = (method) =>
        method.startsWith("com.example/") ? "b" : undefined;
      await using gateway = await gatewayOf([serverEra, serverEra], { forwards });
      const client = await gateway.client(clientEra, {});
      const ask = (method: string): Promise<unknown> =>
        client.request({ method, params: { text: "hi", _meta: { "com.example/note": 1 } } } as never, AS_IS);
      expect(await ask("com.example/echo")).toMatchObject({
        server: "b",
        got: "hi",
        meta: { "com.example/note": 1 },
      });
      // The server's own answer, and methods of nobody and of the protocol itself.
      await expect(ask("com.example/other")).rejects.toMatchObject({ code: -32_601 });
      for (const method of ["org.example/echo", "tasks/get", "tools/other"])
        await expect(ask(method), method).rejects.toMatchObject({ code: -32_601 });
    },
  );

verifies("extensions:key", "only relayed extensions count for the key of lists", () => {
  expect(extensionKey(undefined)).toBe("");
  expect(extensionKey({ "com.example/x": {} })).toBe("");
  expect(extensionKey({ "com.example/x": {}, [UI]: { mimeTypes: [] } })).toBe(UI);
  expect(Object.keys(RELAYED_EXTENSIONS)).toEqual([UI, "io.modelcontextprotocol/skills"]);
});
