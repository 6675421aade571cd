import { generateKeyPairSync } from "node:crypto";
import { chmod, readdir } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { createManualClock } from "indusagi/core";
import {
  createFileTokenStore,
  createMemoryTokenStore,
  createOAuthProvider,
  createServerEndpoint,
  mountProtocolBridge,
  oauthProviderFor,
  startServerFleet,
  type TokenStore,
} from "indusagi/interop";
import { expect } from "vitest";
import { serveHttp } from "../../../../../test/servers/server.mjs";
import { browser, called, endpointFor, protectedServer, providerFor, rejection } from "./login-kit.ts";

/** A store in which the user has logged in. */
async function storeAfterLogin(server: Parameters<typeof providerFor>[0]): Promise<TokenStore> {
  const store = createMemoryTokenStore();
  await providerFor(server, { store, interaction: browser }).login();
  return store;
}

verifies(
  "login:oauth",
  "a refused call leads to a registration and a login with PKCE, and succeeds",
  async () => {
    await using server = await protectedServer();
    const store = createMemoryTokenStore();
    expect(await called(server, providerFor(server, { store, interaction: browser }))).toBe("hello");
    expect(server.counts).toMatchObject({ registrations: 1, authorizations: 1 });
    const { query = "" } = server.seen.find(({ path }) => path === "/authorize") ?? {};
    const asked = new URLSearchParams(query);
    expect(asked.get("code_challenge_method")).toBe("S256");
    expect(asked.get("resource")).toBe(server.url);
    // Another process with the same store needs no person.
    expect(await called(server, providerFor(server, { store }))).toBe("hello");
    expect(server.counts.authorizations).toBe(1);
  },
);

verifies(
  "login:needed",
  "without an interaction a login that is needed is a fault with the command to run",
  async () => {
    await using server = await protectedServer();
    const auth = providerFor(server, { loginHint: 'run "indus mcp login s"' });
    const fault = await rejection(endpointFor(server, auth).open());
    expect(fault).toMatchObject({
      reason: "auth",
      details: { status: 401, login: 'run "indus mcp login s"' },
    });
    expect(server.seen).toEqual([]); // Nothing is discovered or registered in the background.
  },
);

verifies("login:renew", "an expired token is renewed before it is sent, a refused one after", async () => {
  await using server = await protectedServer({ expiresIn: 100 });
  const store = createMemoryTokenStore();
  const clock = createManualClock(Date.now());
  const auth = providerFor(server, { store, interaction: browser, clock });
  await auth.login();
  expect(await called(server, auth)).toBe("hello");
  expect(server.counts.redemptions).toBe(0);
  await clock.advance(95_000);
  expect(await called(server, auth)).toBe("hello");
  expect(server.counts.redemptions).toBe(1);
  server.expire();
  expect(await called(server, auth)).toBe("hello");
  expect(server.counts).toMatchObject({ redemptions: 2, refusals: 0, authorizations: 1 });
});

verifies("login:renew", "two calls that are refused at the same time lead to one renewal", async () => {
  await using server = await protectedServer({ tokenDelayMs: 30 });
  const auth = providerFor(server, { store: await storeAfterLogin(server) });
  const endpoint = endpointFor(server, auth);
  await endpoint.open();
  server.expire();
  const calls = Array.from({ length: 8 }, () => endpoint.invoke("echo", { text: "x" }));
  expect(await Promise.all(calls)).toHaveLength(8);
  expect(server.counts).toMatchObject({ redemptions: 1, refusals: 0 });
  await endpoint.close();
});

verifies("login:keeps", "a renewal that fails deletes nothing: the next one succeeds", async () => {
  await using server = await protectedServer();
  const store = await storeAfterLogin(server);
  const auth = providerFor(server, { store });
  server.expire();
  for (const failure of [
    { status: 503 },
    { status: 500, json: { error: "server_error" } },
    { status: 200 },
  ]) {
    server.options.tokenFailure = () => failure;
    const fault = await rejection(called(server, auth));
    expect(fault).toMatchObject({ name: "ProtocolFault" });
    expect(fault).not.toMatchObject({ details: { status: 401 } });
  }
  delete server.options.tokenFailure;
  expect(await called(server, auth)).toBe("hello");
  expect(server.counts.redemptions).toBe(1);
});

verifies("login:keeps", "a refused refresh token needs a login; the record stays and is marked", async () => {
  await using server = await protectedServer();
  const store = await storeAfterLogin(server);
  const auth = providerFor(server, { store });
  server.expire();
  server.refreshTokens.clear();
  expect(await rejection(called(server, auth))).toMatchObject({ details: { status: 401 } });
  expect(await auth.status()).toMatchObject({ renewable: false, issuer: server.issuer });
  await providerFor(server, { store, interaction: browser }).login();
  expect(await called(server, auth)).toBe("hello");
});

verifies("login:step-up", "a call that lacks rights is repeated after a login with more scopes", async () => {
  const isCall = (request: { readonly headers: { readonly [name: string]: unknown } }): boolean =>
    request.headers["mcp-method"] === "tools/call";
  await using server = await protectedServer({
    requires: (request) => (isCall(request) ? "files:write" : undefined),
  });
  const store = createMemoryTokenStore();
  const options = { store, scopes: ["files:read"] };
  const person = providerFor(server, { ...options, interaction: browser });
  await person.login();
  // In the background the server is usable, and only the call fails.
  const endpoint = endpointFor(server, providerFor(server, { ...options, loginHint: "run this" }));
  await endpoint.open();
  const fault = await rejection(endpoint.invoke("echo", {}));
  expect(fault).toMatchObject({ details: { status: 403, login: "run this" } });
  expect(fault.message).toContain("files:write");
  expect(endpoint.phase).toBe("ready");
  // The next login asks for what was wanted, and the connection that stands uses it.
  await providerFor(server, { ...options, interaction: browser }).login();
  expect((await endpoint.invoke("echo", { text: "now" })).content).toMatchObject([{ text: "now" }]);
  const asked = server.seen.filter(({ path }) => path === "/authorize").at(-1)?.query ?? "";
  expect(new URLSearchParams(asked).get("scope")?.split(" ").sort()).toEqual(["files:read", "files:write"]);
  await endpoint.close();
});

/** Each kind of request on a connection. */
const REQUESTS: readonly (readonly [method: string, params: object])[] = [
  ["tools/call", { name: "echo", arguments: {} }],
  ["tools/list", {}],
  ["resources/list", {}],
  ["resources/read", { uri: "test://a" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "p" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }],
];

verifies("login:refused-request", "a 401 of any request names the login", async () => {
  const some = REQUESTS.filter(([method]) => /call|read|get/.test(method));
  for (const [era, requests] of [
    ["modern", some],
    ["legacy", some.slice(0, 1)],
  ] as const)
    for (const [method, params] of requests) {
      await using server = await protectedServer({ era });
      const store = await storeAfterLogin(server);
      const endpoint = endpointFor(server, providerFor(server, { store, loginHint: "log in with: do this" }));
      await endpoint.open();
      server.expire();
      server.refreshTokens.clear();
      const fault = await rejection(endpoint.session().request(method, { ...params }));
      expect(fault).toMatchObject({
        reason: "auth",
        details: { status: 401, login: "log in with: do this" },
      });
      expect(fault.message, `${era} ${method}`).toBe(
        'server "s" refused the request: HTTP 401: it requires a login; log in with: do this',
      );
      // The connection is over; its fault says the same without the way, which every status adds.
      await expect.poll(() => endpoint.phase).toBe("faulted");
      expect(endpoint.status().fault?.message).toMatch(/HTTP 401: it requires a login$/);
      await endpoint.close();
    }
});

verifies("login:refused-request", "a 403 of any request names the scopes and the login", async () => {
  await using server = await protectedServer({ requires: () => needed });
  let needed: string | undefined;
  const store = await storeAfterLogin(server);
  const endpoint = endpointFor(server, providerFor(server, { store }));
  await endpoint.open();
  needed = "notes:write";
  for (const [method, params] of REQUESTS) {
    const fault = await rejection(endpoint.session().request(method, { ...params }));
    expect(fault.message, method).toBe(
      'server "s" refused the request: HTTP 403: it wants more rights (notes:write); log in to it',
    );
  }
  expect(endpoint.phase).toBe("ready");
  await endpoint.close();
});

verifies(
  "login:refused-request",
  "so does a server that the row has a token for, or that says little",
  async () => {
    let refusal:
      | {
          readonly status: number;
          readonly headers?: { readonly [name: string]: string };
          readonly body?: string;
        }
      | undefined;
    const server = await serveHttp({ era: "modern", admit: () => refusal });
    const challenge = (value: string) => ({ "www-authenticate": value });
    const own = "log in to it, or put a valid token into its headers, and restart it";
    const ask = "ask for access to it, or ";
    const cases: readonly (readonly [typeof refusal, withLogin: string, without: string])[] = [
      [{ status: 401 }, "401: it requires a login; do this", `401: no; ${own}`],
      [
        { status: 401, headers: challenge('Bearer realm="x", scope="a  b"') },
        "401: it requires a login (a b); do this",
        `401: it requires a login (a b); ${own}`,
      ],
      [
        { status: 403, headers: challenge('Bearer error=insufficient_scope, scope="a:b c"') },
        "403: it wants more rights (a:b c); do this",
        `403: it wants more rights (a:b c); ${ask}put another token into its headers`,
      ],
      [
        { status: 403, headers: challenge("Bearer scope=a:b") },
        "403: it wants more rights (a:b); do this",
        `403: it wants more rights (a:b); ${ask}put another token into its headers`,
      ],
      [
        { status: 403, headers: challenge('Bearer error="insufficient_scope"') },
        "403: it wants more rights; do this",
        `403: it wants more rights; ${ask}put another token into its headers`,
      ],
      [
        {
          status: 403,
          headers: challenge('Bearer error_description="no scope=all, error=insufficient_scope"'),
          body: "not you",
        },
        `403: not you; ${ask}do this`,
        `403: not you; ${ask}put another token into its headers`,
      ],
      [
        { status: 401, headers: challenge(`Bearer scope="${"x".repeat(5_000)}"`) },
        `401: it requires a login (${"x".repeat(250)}`,
        `401: it requires a login (${"x".repeat(250)}`,
      ],
    ];
    for (const [given, withLogin, without] of cases)
      for (const [auth, words] of [
        [createOAuthProvider({ serverUrl: server.url, loginHint: "do this" }), withLogin],
        [undefined, without],
      ] as const) {
        const row = {
          kind: "streamable-http",
          id: "s",
          url: server.url,
          headers: auth ? {} : { authorization: "Bearer x" },
        } as const;
        const endpoint = createServerEndpoint(row, undefined, auth ? { auth } : {});
        refusal = undefined;
        await endpoint.open();
        refusal = given;
        const fault = await rejection(endpoint.invoke("echo", {}));
        expect(fault.message).toContain(`server "s" refused the request: HTTP ${words}`);
        await endpoint.close();
      }
    await server.close();
  },
);

verifies("login:oauth", "a server of the legacy era is logged in to in the same way", async () => {
  await using server = await protectedServer({ era: "legacy" });
  const store = createMemoryTokenStore();
  expect(await called(server, providerFor(server, { store, interaction: browser }))).toBe("hello");
  server.expire();
  expect(await called(server, providerFor(server, { store }))).toBe("hello");
});

verifies("login:needed", "a server without an authorization server says so", async () => {
  const server = await serveHttp({ token: "only-this" });
  const auth = createOAuthProvider({ serverUrl: server.url, interaction: browser });
  const fault = await rejection(endpointFor(server, auth).open());
  expect(fault.message).toMatch(/names no authorization server; put a token into "headers"/);
  await server.close();
});

verifies("login:machine", "client credentials and a private key get tokens without a person", async () => {
  await using server = await protectedServer({
    metadata: { token_endpoint_auth_methods_supported: ["client_secret_basic", "private_key_jwt"] },
  });
  const authorizationServer = server.issuer;
  const grant = { kind: "client_credentials" } as const;
  const client = { id: "me", secret: "my-secret" };
  expect(await called(server, providerFor(server, { grant, client, authorizationServer }))).toBe("hello");
  const basic = `Basic ${Buffer.from("me:my-secret").toString("base64")}`;
  expect(server.seen.find(({ path }) => path === "/token")?.headers).toMatchObject({ authorization: basic });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const signed = { id: "me", privateKey: pem, algorithm: "ES256" };
  expect(await called(server, providerFor(server, { grant, client: signed, authorizationServer }))).toBe(
    "hello",
  );
  expect(server.seen.at(-1)?.body).toContain("client_assertion=ey");
  expect(() => createOAuthProvider({ serverUrl: server.url, client })).toThrow(/authorizationServer/);
});

verifies(
  "login:status",
  "the status says who is logged in and until when, and a logout ends it",
  async () => {
    const claims = Buffer.from(JSON.stringify({ email: "ada@example.org" })).toString("base64url");
    await using server = await protectedServer({ idToken: `e30.${claims}.c2ln` });
    const auth = providerFor(server, { interaction: browser });
    expect(await auth.status()).toBeUndefined();
    const status = await auth.login();
    expect(status).toMatchObject({ account: "ada@example.org", issuer: server.issuer, renewable: true });
    expect(status.expiresAtMs).toBeGreaterThan(Date.now() + 3_000_000);
    expect(JSON.stringify(status)).not.toContain("canary");
    expect(await auth.logout()).toBe(true);
    expect(server.refreshTokens.size).toBe(0); // The authorization server was told.
    expect(await auth.status()).toBeUndefined();
    expect(await auth.logout()).toBe(false);
  },
);

verifies(
  "login:resumes",
  "a fleet takes a server up again after a login that another process stored",
  async () => {
    await using dir = await tempDir();
    await using server = await protectedServer();
    const row = { kind: "streamable-http", id: "s", url: server.url, onMismatch: "fail" } as const;
    const store = createFileTokenStore(dir.path, { pollMs: 30 });
    const fleet = await startServerFleet(
      { servers: [row] },
      { auth: (config) => oauthProviderFor(config, { store, loginHint: "run this" }) },
    );
    const { state, summary } = fleet.status().get("s") ?? {};
    expect([state, summary]).toEqual(["needs_login", expect.stringMatching(/requires a login; run this$/)]);
    const isReady = new Promise<void>((resolve) => {
      fleet.onStatus(({ phase, toolCount }) => phase === "ready" && toolCount > 0 && resolve());
    });
    const elsewhere = createFileTokenStore(dir.path);
    await providerFor(server, { store: elsewhere, interaction: browser }).login();
    await isReady;
    await fleet.tearDown();
  },
);

verifies("login:refused-request", "a call after the first refused one names the login too", async () => {
  await using server = await protectedServer();
  const store = await storeAfterLogin(server);
  const provider = providerFor(server, { store, loginHint: "log in with: do this" });
  const { box, fleet } = await mountProtocolBridge(
    { servers: [{ kind: "streamable-http", id: "s", url: server.url }] },
    {
      auth: () => provider,
    },
  );
  server.expire();
  server.refreshTokens.clear();
  const call = () => box.runner.run({ id: "1", name: "s__echo", input: {} });
  const [first, second] = [await call(), await call()];
  for (const { output } of [first, second])
    expect(output).toMatch(/^server "s" .*HTTP 401: it requires a login; log in with: do this$/);
  expect(second?.fault).toMatchObject({ reason: "auth" });
  await fleet.tearDown();
});

verifies(
  "state:own-files",
  "a server whose login others could change needs the user, and says why",
  async () => {
    await using dir = await tempDir();
    await using server = await protectedServer();
    const store = createFileTokenStore(dir.at("logins"));
    await providerFor(server, { store, interaction: browser }).login();
    const [name = ""] = await readdir(dir.at("logins"));
    await chmod(dir.at("logins", name), 0o666);
    const asked = server.seen.length;
    const { fleet } = await mountProtocolBridge(
      { servers: [{ kind: "streamable-http", id: "s", url: server.url }] },
      { auth: () => providerFor(server, { store }) },
    );
    const status = fleet.status().get("s");
    expect(status?.state).toBe("needs_login");
    expect(status?.summary).toBe(
      `server "s" could not be opened: the login file ${dir.at("logins", name)} is open to other users (mode 0666); if you trust its content, run chmod 600 on it, otherwise remove it; if you removed it, log in again`,
    );
    expect(server.seen).toHaveLength(asked);
    await fleet.tearDown();
  },
  { only: ["linux", "darwin"] },
);
