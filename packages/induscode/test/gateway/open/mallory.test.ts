import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import {
  initialize,
  inSession,
  modernRequest,
  openSession,
  type RawAnswer,
  send,
} from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { eventually } from "../../bin/run-indus.ts";
import { connectTo, names, serveIn } from "./serve-in.ts";
import { library, named } from "./served-library.ts";

const LARGE = "the whole of it ".repeat(500);
const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });
const of = (name: string): object => ({
  resources: [
    { uri: `${name}://1`, name },
    { uri: "both://1", name },
  ],
  prompts: [{ name: "greet", arguments: [{ name: "who" }] }],
  tools: ["look", "other"],
  results: {
    look: { content: [{ type: "text", text: LARGE }] },
    other: { content: [{ type: "text", text: "other" }] },
  },
  capabilities: { completions: {}, resources: { subscribe: true, listChanged: true } },
});

verifies(
  "access:grant",
  "a member with one tool reaches nothing else: other tools, servers, results and sessions, by any way in",
  async () => {
    await using dir = await tempDir();
    const servers = [
      await library(dir, "mine", of("mine")),
      await library(dir, "secret", of("secret")),
      await library(dir, "hidden", of("hidden")),
      { kind: "stdio", id: "secret-down", command: "/no/such/program" } as const,
    ];
    const profiles = [{ name: "few", listing: "search" as const }];
    await using served = await serveIn(dir, { previewOver: 1_000, profiles }, servers);
    const tokens = await workspaceTokens(served.run);
    const alice = await connectTo(served.url, { token: (await tokens.add("alice", {})).token });
    const { token } = await tokens.add("mallory", { tools: ["mine__look"] });
    const asMallory = bearer(token);
    await eventually(async () => ((await names(alice)).includes("indus__status") ? true : undefined));
    const session = await openSession(served.url, asMallory);

    /** The answers in both eras. */
    const ask = async (method: string, params: { readonly [member: string]: unknown } = {}, path = "") => {
      const modern = modernRequest(1, method, params);
      const uri = "uri" in params ? { "mcp-name": String(params["uri"]) } : {};
      const answers: RawAnswer[] = [
        await send(`${served.url}${path}`, {
          ...modern,
          headers: { ...modern.headers, ...uri, ...asMallory },
        }),
      ];
      if (path === "") {
        const headers = { ...inSession(session), ...asMallory };
        answers.push(await send(served.url, { headers, body: { jsonrpc: "2.0", id: 1, method, params } }));
      }
      return answers.map(({ text }) => text).join("\n");
    };
    const refused = async (...asked: Parameters<typeof ask>): Promise<void> => {
      const text = await ask(...asked);
      expect(text, JSON.stringify(asked)).toMatch(/"error"|"isError":true|is not a route/);
      expect(text, JSON.stringify(asked)).not.toMatch(/the whole of it|"contents"|"messages"|"values"/);
    };

    // What is listed, and how the gateway presents itself.
    for (const path of ["", "/p/few", "/p/none"])
      for (const list of ["tools/list", "resources/list", "prompts/list", "server/discover"])
        expect(await ask(list, {}, path), `${list} ${path}`).not.toMatch(
          /secret|hidden|mine__other|indus__status/,
        );
    expect((await initialize(served.url, asMallory)).text).not.toMatch(/secret|hidden/);
    expect(await ask("tools/call", { name: "indus__status", arguments: {} })).not.toMatch(/secret|hidden/);
    expect(JSON.stringify(await alice.invoke("indus__status", {}))).toContain("secret-down");

    // Other tools, under each name, on each route, and through the search.
    for (const name of ["mine__other", "secret__look", "secret-down__look", "read", "bash", "look"])
      for (const path of ["", "/p/few", "/p/none"]) {
        await refused("tools/call", { name, arguments: {} }, path);
        await refused("tools/call", { name: "tool_call", arguments: { name, arguments: {} } }, path);
      }
    expect(
      await ask("tools/call", { name: "tool_search", arguments: { query: "look" } }, "/p/few"),
    ).not.toMatch(/secret|hidden/);
    await refused("tools/call", { name: "other", arguments: {} }, "/mine");
    for (const path of ["/secret", "/hidden", "/p/secret"]) await refused("tools/list", {}, path);

    // Resources, prompts, completion and subscriptions of other servers, and what two of them have together.
    const uris = [
      "secret://1",
      named("secret", "secret://1"),
      "indus://instructions/secret",
      named("hidden", "both://1"),
    ];
    for (const uri of uris) {
      await refused("resources/read", { uri });
      // On its own route a server gets every URI, and only that server.
      expect(await ask("resources/read", { uri }, "/mine")).toContain("mine.json");
      const headers = { ...inSession(session), ...asMallory };
      const body = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri } };
      expect((await send(served.url, { headers, body })).text).toContain('"error"');
      const listen = modernRequest(1, "subscriptions/listen", {
        notifications: { resourceSubscriptions: [uri] },
      });
      const listening = await send(served.url, { ...listen, headers: { ...listen.headers, ...asMallory } });
      expect(listening.text, uri).toContain('"error"');
    }
    for (const name of ["secret__greet", "greet"]) {
      await refused("prompts/get", { name, arguments: {} });
      const argument = { name: "who", value: "" };
      await refused("completion/complete", { ref: { type: "ref/prompt", name }, argument });
      await refused("completion/complete", { ref: { type: "ref/resource", uri: "secret://1" }, argument });
    }

    // The result of another member.
    const preview = JSON.stringify(await alice.invoke("secret__look", {}));
    const [, id = ""] = /indus:\/\/artifact\/([0-9a-f]{32})/.exec(preview) ?? [];
    expect(id).not.toBe("");
    await refused("resources/read", { uri: `indus://artifact/${id}` });
    const reading = await ask("tools/call", { name: "read_result", arguments: { id } });
    expect(reading).not.toContain("the whole of it");
    expect(JSON.stringify(await alice.invoke("read_result", { id }))).toContain("the whole of it");

    // What may be used can be, and only that.
    expect(await ask("tools/call", { name: "mine__look", arguments: {} })).toContain("the whole of it");
    expect(await ask("resources/read", { uri: "mine://1" })).toContain('"contents"');
    await alice.close();
  },
  { timeoutMs: 60_000 },
);

verifies(
  "relay:scope",
  "a URI that servers clash about is not found for a client that sees none of them",
  async () => {
    await using dir = await tempDir();
    const servers = [await library(dir, "one", of("one")), await library(dir, "two", of("two"))];
    await using served = await serveIn(dir, {}, [...servers, await library(dir, "three", {})]);
    // The lists of both are known before the first read.
    await served.gateway.servers.settled;
    const anonymous = await connectTo(served.url);
    await anonymous.session().request("resources/list", {});
    await anonymous.close();
    const tokens = await workspaceTokens(served.run);
    const read = async (grant: readonly string[]): Promise<string> => {
      const { token } = await tokens.add(grant.join("-"), { servers: grant });
      const client = await connectTo(served.url, { token });
      const error = await client
        .session()
        .request("resources/read", { uri: "both://1" })
        .catch((thrown: unknown) => String(thrown));
      await client.close();
      return String(error);
    };
    expect(await read(["one", "two"])).toContain(
      'both://1 is ambiguous: the servers "one" and "two" have it',
    );
    expect(await read(["one"])).toContain('is ambiguous: the server "one" and others have it');
    expect(await read(["three"])).toContain("Resource not found: both://1");
  },
  { timeoutMs: 60_000 },
);

verifies(
  "operations:pages",
  "through a proxy the metrics, which name all servers, need a token that allows everything",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, { profile: "none" }, []);
    const tokens = await workspaceTokens(served.run);
    const page = async (path: string, headers: { readonly [name: string]: string }): Promise<number> =>
      (await fetch(new URL(path, served.url), { headers: { "x-forwarded-for": "192.0.2.1", ...headers } }))
        .status;
    const whole = bearer((await tokens.add("alice", { calls: 2 })).token);
    const part = bearer((await tokens.add("mallory", { tools: ["mine__look"] })).token);
    expect(await page("/metrics", {})).toBe(401);
    expect(await page("/metrics", part)).toBe(403);
    expect(await page("/metrics", whole)).toBe(200);
    for (const path of ["/healthz", "/readyz"]) expect(await page(path, {})).toBe(200);
  },
);
