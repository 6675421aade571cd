import { connect } from "node:net";
import { inspect } from "node:util";
import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  type HttpServeOptions,
  serveHttp,
  sharedSecret,
  type TokenVerifier,
  type VerifiedToken,
} from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import {
  initialize,
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  send,
  textOf,
} from "../http/raw-http.ts";

const AUDIENCE = "https://tools.example/mcp";
const METADATA = "https://tools.example/.well-known/oauth-protected-resource";
const CANARY = "canary-0f8b1c2d3e4a";

/** Tokens and their content, in the order of the checks. */
const TOKENS: { readonly [token: string]: VerifiedToken } = {
  [`good-${CANARY}`]: { principal: "alice", audience: [AUDIENCE], expiresAt: 4_102_444_800 },
  [`slash-${CANARY}`]: { principal: "alice", audience: ["https://other.example", `${AUDIENCE}/`] },
  [`elsewhere-${CANARY}`]: { principal: "alice", audience: ["https://other.example/mcp"] },
  [`prefix-${CANARY}`]: { principal: "alice", audience: [`${AUDIENCE}/../mcp`, "https://tools.example"] },
  [`nobody-${CANARY}`]: { principal: "alice", audience: [] },
  [`late-${CANARY}`]: { principal: "alice", audience: [AUDIENCE], expiresAt: 1_000_000_000 },
};

const verifier: TokenVerifier = {
  verify: (token) => (Object.hasOwn(TOKENS, token) ? TOKENS[token] : undefined),
};

/** A listener whose only tool records everything it sees, and what the host reports. */
async function listening(options: Partial<HttpServeOptions> = {}) {
  const seen: unknown[] = [];
  const box = boxOf({
    look: (call, signal, caller) => {
      seen.push({ call, signal, caller, stack: new Error("here").stack });
      return textResult("seen");
    },
  });
  const host = createProviderHost(
    (client) => {
      seen.push(client);
      return box;
    },
    undefined,
    {},
    { report: (message) => seen.push(message) },
  );
  const listener = await serveHttp(host, { port: 0, ...options });
  return { ...listener, seen, [Symbol.asyncDispose]: () => listener.close() };
}

const guarded = { verifier, audience: AUDIENCE, resourceMetadataUrl: METADATA };

const REFUSED: { readonly [why: string]: string | undefined } = {
  "no token": undefined,
  "an empty header": "",
  "no scheme": `good-${CANARY}`,
  "another scheme": `Basic ${Buffer.from(`a:${CANARY}`).toString("base64")}`,
  "two tokens": `Bearer good-${CANARY} good-${CANARY}`,
  "a token with a comma": `Bearer good-${CANARY},good-${CANARY}`,
  "a token in quotes": `Bearer "good-${CANARY}"`,
  "an unknown token": `Bearer unknown-${CANARY}`,
  "the name of an inherited member": "Bearer constructor",
  "another audience": `Bearer elsewhere-${CANARY}`,
  "an audience that is nearly ours": `Bearer prefix-${CANARY}`,
  "no audience": `Bearer nobody-${CANARY}`,
  "an expired token": `Bearer late-${CANARY}`,
};

for (const [why, authorization] of Object.entries(REFUSED)) {
  verifies("host-threats:tokens", `${why}: 401 that names where to get one, and nothing runs`, async () => {
    await using listener = await listening(guarded);
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const modern = modernRequest(1, "tools/call", { name: "look" });
    const answers = [
      await initialize(listener.url, headers),
      await send(listener.url, { ...modern, headers: { ...modern.headers, ...headers } }),
      await send(listener.url, { method: "GET", headers }),
      await send(listener.url, { method: "DELETE", headers: { ...headers, ...inSession("x") } }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer /);
      expect(answer.headers["www-authenticate"]).toContain(`resource_metadata="${METADATA}"`);
      expect(answer.text + inspect(answer.headers)).not.toContain(CANARY);
    }
    expect(inspect(listener.seen)).not.toContain(CANARY);
    expect(listener.seen).toEqual([]);
  });
}

verifies(
  "host-threats:tokens",
  "a valid token is admitted, and no tool, box or report ever sees it",
  async () => {
    await using listener = await listening(guarded);
    for (const token of [`good-${CANARY}`, `slash-${CANARY}`]) {
      const headers = { authorization: `bearer ${token}` };
      const modern = modernRequest(1, "tools/call", { name: "look" });
      expect(
        textOf(await send(listener.url, { ...modern, headers: { ...modern.headers, ...headers } })),
      ).toBe("seen");
      const session = { ...headers, ...inSession(await openSession(listener.url, headers)) };
      expect(textOf(await send(listener.url, { headers: session, body: legacyCall(1, "look") }))).toBe(
        "seen",
      );
      await send(listener.url, { headers: session, body: "{" });
    }
    const everything = inspect(listener.seen, {
      depth: null,
      showHidden: true,
      maxArrayLength: null,
      maxStringLength: null,
    });
    expect(everything).toContain("alice");
    expect(everything).not.toContain(CANARY);
  },
);

verifies("host-threats:shared-secret", "one secret, compared whole; anything else is refused", async () => {
  const secret = "correct-horse-battery";
  expect(() => sharedSecret("short")).toThrow("16 characters");
  const keeper = sharedSecret(secret, "me");
  expect(await keeper.verify(secret)).toEqual({ principal: "me", audience: "any" });
  for (const wrong of [
    "",
    secret.slice(1),
    `${secret}x`,
    secret.toUpperCase(),
    `${secret.slice(0, -1)}z`,
    "ſ".repeat(21),
  ])
    expect(await keeper.verify(wrong)).toBeUndefined();
  await using listener = await listening({ verifier: keeper });
  expect((await initialize(listener.url, { authorization: `Bearer ${secret}` })).status).toBe(200);
  expect((await initialize(listener.url, { authorization: `Bearer ${secret}x` })).status).toBe(401);
});

const STRANGE_HOSTS = [
  "evil.test",
  "localhost.evil.test",
  "127.0.0.1.evil.test",
  "evil.test#localhost",
  "0.0.0.0",
];
const STRANGE_ORIGINS = [
  "http://evil.test",
  "null",
  "http://localhost.evil.test",
  "http://localhost@evil.test",
  "http://127.0.0.1.evil.test",
  "file://",
  "not a url",
];

verifies(
  "host-threats:rebinding",
  "an unknown Host or Origin is 403 in both eras, for every method",
  async () => {
    await using listener = await listening();
    const strange = [
      ...STRANGE_HOSTS.map((host) => ({ host: `${host}:${listener.port}` })),
      ...STRANGE_ORIGINS.map((origin) => ({ origin })),
    ];
    for (const headers of strange) {
      const modern = modernRequest(1, "tools/call", { name: "look" });
      const answers = [
        await initialize(listener.url, headers),
        await send(listener.url, { ...modern, headers: { ...modern.headers, ...headers } }),
        await send(listener.url, { method: "GET", headers }),
        await send(listener.url, { method: "OPTIONS", headers }),
      ];
      for (const { status, headers: said } of answers) {
        expect({ headers, status }).toEqual({ headers, status: 403 });
        expect(said["access-control-allow-origin"]).toBeUndefined();
      }
    }
    for (const start of ["POST /mcp HTTP/1.1\r\nHost:\r\n", "POST /mcp HTTP/1.0\r\n"])
      expect(await rawStatus(listener.port, `${start}Connection: close\r\n\r\n`)).toBe(
        "HTTP/1.1 403 Forbidden",
      );
    expect(listener.seen).toEqual([]);
  },
);

verifies("host-threats:rebinding", "this machine's own names and the listed names are admitted", async () => {
  await using listener = await listening({
    allowedHosts: ["tools.example"],
    allowedOrigins: ["page.example"],
  });
  const port = listener.port;
  for (const headers of [
    { host: `127.0.0.1:${port}` },
    { host: `localhost:${port}`, origin: `http://localhost:${port}` },
    { host: `[::1]:${port}` },
    { host: "tools.example" },
    { origin: "https://page.example" },
  ])
    expect({ headers, status: (await initialize(listener.url, headers)).status }).toEqual({
      headers,
      status: 200,
    });
  const origin = "https://page.example";
  const preflight = await send(listener.url, { method: "OPTIONS", headers: { origin } });
  expect(preflight.status).toBe(204);
  expect(preflight.headers["access-control-allow-origin"]).toBe(origin);
});

const PUBLIC_ADDRESSES = [
  "0.0.0.0",
  "::",
  "",
  "0",
  "192.168.1.1",
  "127.1",
  "localhost.evil.test",
  "::ffff:127.0.0.1",
];

verifies(
  "host-threats:beyond-loopback",
  "without a verifier only loopback addresses are listened on",
  async () => {
    const host = createProviderHost(boxOf({}));
    for (const address of PUBLIC_ADDRESSES)
      await expect(serveHttp(host, { port: 0, host: address }), address).rejects.toMatchObject({
        kind: "transport",
        message: expect.stringContaining("without a token verifier"),
      });
    for (const address of ["::1", "[::1]"]) {
      await using own = await listening({ host: address });
      expect([address, own.url]).toEqual([address, `http://[::1]:${own.port}/mcp`]);
      expect((await initialize(own.url)).status).toBe(200);
    }
    await using open = await listening({ host: "0.0.0.0", verifier: sharedSecret("correct-horse-battery") });
    expect((await initialize(`http://127.0.0.1:${open.port}/mcp`)).status).toBe(401);
  },
);

verifies(
  "host-threats:header-injection",
  "a request that smuggles lines, or is not HTTP, gets only an error",
  async () => {
    await using listener = await listening();
    const target = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n";
    for (const bytes of [
      `${target}Mcp-Name: a\rb\r\nContent-Length: 0\r\n\r\n`,
      `${target}Mcp-Name: a\0b\r\nContent-Length: 0\r\n\r\n`,
      `${target}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      `${target}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${target}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      "POST // HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "POST http://[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      "\u0016\u0003\u0001 this is another protocol\r\n\r\n",
    ])
      expect(await rawStatus(listener.port, bytes), JSON.stringify(bytes.slice(0, 80))).toMatch(
        /^HTTP\/1\.1 4\d\d /,
      );
    // A value in arguments can contain line ends; it is never used as a header.
    const answer = await send(listener.url, {
      ...modernRequest(1, "tools/call", { name: "look", arguments: { a: "x\r\nSet-Cookie: b" } }),
    });
    expect(textOf(answer)).toBe("seen");
    expect(answer.headers["set-cookie"]).toBeUndefined();
  },
);

/** Each header that a request has once, with two values that are valid alone. */
const TWICE: readonly (readonly [name: string, first: string, second: string])[] = [
  ["Host", "localhost", "localhost"],
  ["Host", "localhost", "evil.example"],
  ["hOST", "evil.example", "127.0.0.1"],
  ["Authorization", "Bearer one", "Bearer two"],
  ["Origin", "http://localhost", "https://evil.example"],
  ["Mcp-Session-Id", "one", "two"],
  ["MCP-Protocol-Version", "2025-11-25", "2026-07-28"],
  ["Mcp-Method", "tools/list", "tools/call"],
  ["Mcp-Name", "look", "other"],
  ["Mcp-Param-Place", "here", "there"],
  ["Content-Type", "application/json", "text/plain"],
  ["Content-Length", "2", "2"],
  ["Content-Encoding", "identity", "identity"],
  ["Transfer-Encoding", "identity", "chunked"],
  ["Last-Event-ID", "1", "2"],
];

verifies(
  "host-threats:repeated-headers",
  "every route and page answers 400 to a header that a request may have once",
  async () => {
    const page = { isOpen: true, answer: () => ({ status: 200, type: "text/plain", body: "well" }) };
    const below = createProviderHost(boxOf({ look: () => textResult("below") }));
    const routes = {
      find: (path: string) => (path === "/mcp/notes" ? below : undefined),
      paths: () => ["/mcp/notes"],
    };
    await using listener = await listening({ pages: { "/healthz": page }, routes });
    const head = "Accept: application/json, text/event-stream\r\nConnection: close\r\n";
    for (const target of [
      "POST /mcp",
      "GET /mcp",
      "DELETE /mcp",
      "OPTIONS /mcp",
      "POST /mcp/notes",
      "GET /healthz",
    ])
      for (const [name, first, second] of TWICE) {
        const host = /^host$/i.test(name) ? "" : "Host: localhost\r\n";
        const twice = `${name}: ${first}\r\nX-Between: 1\r\n${name.toLowerCase()}: ${second}\r\n`;
        const isFramed = name === "Content-Length" || name === "Transfer-Encoding";
        const length = isFramed ? "" : "Content-Length: 2\r\n";
        const body = name === "Transfer-Encoding" ? "2\r\n{}\r\n0\r\n\r\n" : "{}";
        const heard = await rawAnswer(
          listener.port,
          `${target} HTTP/1.1\r\n${host}${head}${length}${twice}\r\n${body}`,
        );
        expect(heard, `${target} ${name}`).toMatch(/^HTTP\/1\.1 400 /);
        // Node itself answers for two lengths.
        if (name !== "Content-Length")
          expect(heard, `${target} ${name}`).toContain(
            `the header ${name.toLowerCase()} occurs more than once`,
          );
      }
    // Node drops what follows the first 2000 headers unless it is told not to.
    const many = `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${head}${"a:\r\n".repeat(2_200)}Host: localhost\r\n\r\n`;
    expect(await rawAnswer(listener.port, many)).toMatch(/^HTTP\/1\.1 400 /);
    // Others may be repeated, as a chain of proxies does.
    const hops = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.2\r\nAccept: */*\r\n";
    expect(
      await rawAnswer(listener.port, `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${head}${hops}\r\n`),
    ).toMatch(/^HTTP\/1\.1 200 /);
    expect(listener.seen).toEqual([]);
  },
);

/** Sends raw bytes and returns the first line of the answer. */
async function rawStatus(port: number, bytes: string): Promise<string> {
  return (await rawAnswer(port, bytes)).split("\r\n", 1)[0] ?? "";
}

function rawAnswer(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"));
    socket.on("data", (data: Buffer) => (heard += data.toString("latin1")));
    socket.once("error", reject);
    socket.once("close", () => resolve(heard));
  });
}
