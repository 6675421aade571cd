import { verifies } from "@indus/testkit";
import { createProviderHost, type ProviderHost, serveHttp, type TokenVerifier } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import { initialize, inSession, legacyCall, modernRequest, openSession, send, textOf } from "./raw-http.ts";

const hostOf = (name: string): ProviderHost =>
  createProviderHost(boxOf({ who: (_call, _signal, caller) => textResult(`${name} ${caller?.principal}`) }));

/** A listener with one host below its own, and another one for the principal `alice` alone. */
async function listening(verifier?: TokenVerifier) {
  const below = new Map([["/mcp/one", hostOf("one")]]);
  const own = hostOf("hers");
  const listener = await serveHttp(hostOf("main"), {
    port: 0,
    limits: { drainMs: 50, sessionsPerPrincipal: 3 },
    ...(verifier ? { verifier } : {}),
    routes: {
      find: (path, principal) => (path === "/mcp/hers" && principal === "alice" ? own : below.get(path)),
      paths: (principal) => [...below.keys(), ...(principal === "alice" ? ["/mcp/hers"] : [])],
    },
  });
  return { ...listener, below, [Symbol.asyncDispose]: () => listener.close() };
}

verifies(
  "routes:paths",
  "each path has its host in both eras, and a session exists only at its path",
  async () => {
    await using listener = await listening();
    const { url } = listener;
    for (const [path, who] of [
      [url, "main"],
      [`${url}/one`, "one"],
    ] as const) {
      const session = await openSession(path);
      const headers = inSession(session);
      expect(textOf(await send(path, { headers, body: legacyCall(1, "who") }))).toBe(`${who} undefined`);
      const modern = modernRequest(2, "tools/call", { name: "who", arguments: {} });
      expect(textOf(await send(path, modern))).toBe(`${who} undefined`);
      const elsewhere = path === url ? `${url}/one` : url;
      const foreign = await send(elsewhere, { headers, body: legacyCall(1, "who") });
      expect([foreign.status, foreign.messages[0]]).toEqual([
        404,
        { jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null },
      ]);
    }
    // The limit of sessions holds for all paths together.
    await openSession(url);
    expect((await initialize(`${url}/one`)).status).toBe(429);
  },
);

verifies("routes:unknown", "an unknown path is a JSON-RPC error that names the routes", async () => {
  await using listener = await listening();
  const { url } = listener;
  const wrong = await initialize(`${url}/onne?x=1`);
  expect(wrong.status).toBe(404);
  expect(wrong.messages).toEqual([
    {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32000,
        message: "Not Found: /mcp/onne is not a route here; the routes are /mcp, /mcp/one",
        data: { routes: ["/mcp", "/mcp/one"] },
      },
    },
  ]);
  // Outside of the main path nothing is named.
  const outside = await initialize(url.replace("/mcp", "/other"));
  expect([outside.status, JSON.stringify(outside.messages)]).toEqual([
    404,
    expect.not.stringContaining("one"),
  ]);
  listener.below.clear();
  expect((await initialize(`${url}/one`)).status).toBe(404);
});

verifies(
  "routes:unknown",
  "a client learns only the routes of its principal, and none without a token",
  async () => {
    const verifier: TokenVerifier = { verify: (token) => ({ principal: token, audience: "any" }) };
    await using listener = await listening(verifier);
    const ask = async (headers: Record<string, string>): Promise<readonly [number, string]> => {
      const { status, messages } = await initialize(`${listener.url}/nothing`, headers);
      return [status, JSON.stringify(messages)];
    };
    expect(await ask({})).toEqual([401, expect.not.stringContaining("/mcp/one")]);
    expect(await ask({ authorization: "Bearer alice" })).toEqual([404, expect.stringContaining("/mcp/hers")]);
    expect(await ask({ authorization: "Bearer bob" })).toEqual([404, expect.not.stringContaining("hers")]);
    expect((await initialize(`${listener.url}/hers`, { authorization: "Bearer bob" })).status).toBe(404);
  },
);
