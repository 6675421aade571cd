import { createServer } from "node:http";
import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig, ServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import {
  initialize,
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  send,
  textOf,
} from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { eventually, scriptedRow } from "../../bin/run-indus.ts";
import { connectTo, names, serveIn } from "./serve-in.ts";

const server = (id: string): ServerConfig => ({
  kind: "stdio",
  id,
  ...(scriptedRow() as { command: string; args: string[] }),
});
const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

verifies(
  "access:grant",
  "each token sees and calls what it allows, in both eras; without a token everything is there",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, {}, [server("a"), server("b")]);
    const tokens = await workspaceTokens(served.run);
    // Added while the gateway runs.
    const wide = await tokens.add("wide", {});
    const one = await tokens.add("one", { servers: ["a"] });
    const few = await tokens.add("few", { servers: ["a", "b"], tools: ["b__echo", "read"], listing: "all" });
    const searching = await tokens.add("searching", { servers: ["b"], listing: "search" });
    const anonymous = await connectTo(served.url);
    const all = await names(anonymous);
    expect(all).toEqual(expect.arrayContaining(["read", "a__echo", "b__echo"]));
    const clients = await Promise.all(
      [wide, one, few, searching].map(({ token }) => connectTo(served.url, { token })),
    );
    const lists = await Promise.all(clients.map(names));
    expect(lists[0]).toEqual(all);
    expect(lists[1]).toEqual(all.filter((name) => name.startsWith("a__")));
    expect(lists[2]).toEqual(["read", "b__echo"]);
    expect(lists[3]).toContain("tool_search");
    expect(JSON.stringify(lists[3])).not.toMatch(/a__|read/);
    const [, oneClient, fewClient, searchingClient] = clients as [
      ServerEndpoint,
      ServerEndpoint,
      ServerEndpoint,
      ServerEndpoint,
    ];
    expect((await oneClient.invoke("a__echo", { text: "hi" })).isError).toBe(false);
    for (const refused of [
      oneClient.invoke("b__echo", { text: "hi" }),
      oneClient.invoke("read", { path: "x" }),
      fewClient.invoke("b__args", {}),
    ])
      await expect(refused).rejects.toThrow("there is no tool named");
    // The search neither finds nor calls what the token does not allow.
    const found = await searchingClient.invoke("tool_search", { query: "echo" });
    expect(JSON.stringify(found)).toContain("b__echo");
    expect(JSON.stringify(found)).not.toContain("a__echo");
    const called = await searchingClient
      .invoke("tool_call", { name: "a__echo", arguments: { text: "hi" } })
      .catch((thrown: unknown) => ({ isError: true, content: String(thrown) }));
    expect(called.isError).toBe(true);
    expect(JSON.stringify(called)).toContain("there is no tool named");
    // The legacy era gets the same.
    const session = await openSession(served.url, bearer(one.token));
    const listed = await send(served.url, {
      headers: { ...inSession(session), ...bearer(one.token) },
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    });
    expect(listed.text).toContain("a__echo");
    expect(listed.text).not.toContain("b__echo");
    // A session belongs to its token.
    const foreign = await send(served.url, {
      headers: { ...inSession(session), ...bearer(wide.token) },
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    });
    expect(foreign.status).toBe(404);
    // The routes are those of the servers that the token allows.
    const route = modernRequest(1, "tools/list");
    const at = async (path: string): Promise<Awaited<ReturnType<typeof send>>> =>
      send(`${served.url}/${path}`, { ...route, headers: { ...route.headers, ...bearer(one.token) } });
    expect((await at("a")).text).toContain('"echo"');
    const missing = await at("b");
    expect(missing.status).toBe(404);
    expect(missing.text).not.toContain("/mcp/b,");
    await Promise.all([anonymous, ...clients].map((client) => client.close()));
    expect(served.reports).toEqual([]);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "access:loopback",
  "no token is needed on this machine; a wrong one, and a forwarded request without one, is refused",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, { profile: "none" }, []);
    const { token } = await (await workspaceTokens(served.run)).add("alice", {});
    const status = async (headers: { readonly [name: string]: string }): Promise<number> =>
      (await initialize(served.url, headers)).status;
    expect(await status({})).toBe(200);
    expect(await status(bearer(token))).toBe(200);
    for (const wrong of [`${token}x`, "x".repeat(60)]) expect(await status(bearer(wrong))).toBe(401);
    expect(await status({ authorization: "" })).toBe(401);
    for (const header of ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host"]) {
      expect(await status({ [header]: "for=192.0.2.1" })).toBe(401);
      expect(await status({ [header]: "for=192.0.2.1", ...bearer(token) })).toBe(200);
    }
  },
  { timeoutMs: 60_000 },
);

verifies(
  "access:needed",
  "with --require-token no request is served without one",
  async () => {
    await using dir = await tempDir();
    const transport = { kind: "http", port: 0, requireToken: true } as const;
    await expect(serveIn(dir, { transport }, [])).rejects.toThrow("serve --require-token needs a token");
    await expect(serveIn(dir, { transport: { kind: "http", port: 0, host: "0.0.0.0" } }, [])).rejects.toThrow(
      "is open to other machines and needs a token",
    );
    await using first = await serveIn(dir, {}, []);
    const { token } = await (await workspaceTokens(first.run)).add("alice", {});
    await (await workspaceTokens(first.run)).add("ci", { servers: ["githb"] });
    await using served = await serveIn(dir, { transport }, []);
    expect(served.reports.join("")).toContain(
      "token ci allows githb, which is not served here; there is none",
    );
    expect((await initialize(served.url)).status).toBe(401);
    expect((await initialize(served.url, bearer(token))).status).toBe(200);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "access:calls",
  "a call beyond the limit of its token is refused at once, others run",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, {}, [server("a")]);
    const tokens = await workspaceTokens(served.run);
    const limited = await connectTo(served.url, { token: (await tokens.add("ci", { calls: 2 })).token });
    const free = await connectTo(served.url, { token: (await tokens.add("free", {})).token });
    await names(limited);
    const stop = new AbortController();
    const running = [1, 2].map(() =>
      limited.invoke("a__silent", {}, { signal: stop.signal }).catch(() => "ended"),
    );
    const refused = await eventually(async () => {
      const answer = await limited.invoke("a__echo", { text: "hi" });
      return answer.isError ? answer : undefined;
    });
    expect(JSON.stringify(refused)).toContain("token ci may run 2 calls at the same time; try again");
    expect((await free.invoke("a__echo", { text: "hi" })).isError).toBe(false);
    stop.abort();
    expect(await Promise.all(running)).toEqual(["ended", "ended"]);
    await eventually(async () =>
      (await limited.invoke("a__echo", { text: "hi" })).isError ? undefined : true,
    );
    await Promise.all([limited.close(), free.close()]);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "house:next-call",
  "a token's limit and its end hold for the very next call, in both eras",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, {}, [server("a")]);
    const tokens = await workspaceTokens(served.run);
    const { token } = await tokens.add("ci", { calls: 1 });
    const session = await openSession(served.url, bearer(token));
    const legacy = (id: number, tool: string) =>
      send(served.url, {
        headers: { ...inSession(session), ...bearer(token) },
        body: legacyCall(id, tool),
      });
    const modern = (id: number) => {
      const request = modernRequest(id, "tools/call", { name: "a__echo", arguments: { text: "hi" } });
      return send(served.url, { ...request, headers: { ...request.headers, ...bearer(token) } });
    };
    const both = async (id: number) => [await legacy(id, "a__echo"), await modern(id + 1)];
    const refused = "token ci may run 1 call at the same time";
    for (const answer of await both(1)) expect(answer.text).not.toContain(refused);
    const running = legacy(3, "a__silent");
    await eventually(async () => (await modern(4)).text.includes(refused) || undefined);
    for (const answer of await both(5)) expect(answer.text).toContain(refused);
    await tokens.revoke(["ci"]);
    for (const answer of await both(7)) expect(answer.status).toBe(401);
    expect((await running).text).toContain("the token was revoked");
  },
  { timeoutMs: 60_000 },
);

verifies(
  "access:revoked",
  "a revoked token is refused at once, and its session, stream and running call end",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, {}, [server("a")]);
    const tokens = await workspaceTokens(served.run);
    const { token } = await tokens.add("alice", {});
    const kept = await tokens.add("bob", {});
    const [session, other] = [
      await openSession(served.url, bearer(token)),
      await openSession(served.url, bearer(kept.token)),
    ];
    const open = { headers: { ...inSession(session), ...bearer(token) } };
    let text = "";
    const stream = send(served.url, { method: "GET", ...open, onText: (part) => void (text += part) });
    const call = send(served.url, { ...open, body: legacyCall(7, "a__silent") });
    const modern = modernRequest(8, "tools/call", { name: "a__silent", arguments: {} });
    const modernCall = send(served.url, { ...modern, headers: { ...modern.headers, ...bearer(token) } });
    const stop = new AbortController();
    const asBob = { ...inSession(other), ...bearer(kept.token) };
    const keptStream = send(served.url, {
      method: "GET",
      headers: asBob,
      signal: stop.signal,
    }).catch(() => "aborted");
    await eventually(async () => {
      const counted = await send(served.url, { headers: asBob, body: legacyCall(1, "a__calls") });
      return Number(textOf(counted)) >= 3 || undefined;
    });
    await tokens.revoke(["alice"]);
    expect((await send(served.url, { ...open, body: legacyCall(9, "a__echo") })).status).toBe(401);
    const [, legacyAnswer, modernAnswer] = await Promise.all([stream, call, modernCall]);
    expect(legacyAnswer.text).toContain("the token was revoked");
    expect(modernAnswer.text).toContain("the token was revoked");
    expect(text).not.toContain("error");
    const alive = await send(served.url, { headers: asBob, body: legacyCall(1, "a__echo") });
    expect(alive.status).toBe(200);
    stop.abort();
    expect(await keptStream).toBe("aborted");
  },
  { timeoutMs: 60_000 },
);

verifies(
  "access:upstream",
  "the header with the token of a client reaches no server",
  async () => {
    await using dir = await tempDir();
    const seen: string[] = [];
    const upstream = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers));
      request.resume();
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const { port } = upstream.address() as { readonly port: number };
    try {
      const url = `http://127.0.0.1:${port}/mcp`;
      const config: ServerConfig = { kind: "streamable-http", id: "up", url };
      await using served = await serveIn(dir, {}, [config, server("a")]);
      const { token } = await (await workspaceTokens(served.run)).add("alice", {});
      const client = await connectTo(served.url, { token });
      await names(client);
      await eventually(() => seen.length > 0 || undefined);
      const told = await client.invoke("a__meta", {});
      expect(JSON.stringify([seen, told])).not.toContain(token.slice(6));
      expect(seen.join("")).not.toContain("authorization");
      await client.close();
      expect(served.reports.join("")).not.toContain(token);
    } finally {
      upstream.closeAllConnections();
      upstream.close();
    }
  },
  { timeoutMs: 60_000 },
);
