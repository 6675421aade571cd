import { verifies } from "@indus/testkit";
import { AuthError, createMemoryTokenStore, createOAuthProvider } from "indusagi/interop";
import { expect, vi } from "vitest";
import { browser, called, endpointFor, protectedServer, providerFor, rejection } from "./login-kit.ts";

/** An authorization server that must not be asked: everything it is sent. */
async function evilServer() {
  return protectedServer({ resource: null });
}

verifies(
  "login:attacks",
  "a server that names another authorization server gets no credential sent there",
  async () => {
    await using evil = await evilServer();
    await using server = await protectedServer();
    const store = createMemoryTokenStore();
    await providerFor(server, { store, interaction: browser }).login();
    server.options.resource = { authorization_servers: [evil.issuer] };
    server.expire();
    expect(await rejection(called(server, providerFor(server, { store })))).toMatchObject({
      details: { status: 401 },
    });
    expect(evil.seen).toEqual([]);
    // A person who logs in there gets a new client, and nothing that the first one issued goes along.
    await rejection(called(server, providerFor(server, { store, interaction: browser })));
    expect(evil.counts.registrations).toBe(1);
    expect(JSON.stringify(evil.seen)).not.toMatch(/refresh_token=|client_secret|canary-(access|refresh)/);
  },
);

verifies(
  "login:attacks",
  "a configured client is used only at the configured authorization server",
  async () => {
    await using evil = await evilServer();
    await using server = await protectedServer();
    server.options.resource = { authorization_servers: [evil.issuer] };
    const auth = providerFor(server, {
      client: { id: "me", secret: "canary-client-secret" },
      authorizationServer: server.issuer,
      interaction: browser,
    });
    expect(await called(server, auth)).toBe("hello");
    expect(evil.seen).toEqual([]);
  },
);

const HOSTILE = [
  "javascript:alert(1)",
  "file:///etc/passwd",
  "data:text/html,x",
  "ms-settings:x",
  "http://user:word@127.0.0.1/authorize",
  "https://10.0.0.7/authorize",
  "http://169.254.169.254/latest",
];

verifies("login:attacks", "a hostile authorization_endpoint is shown to nobody", async () => {
  await using server = await protectedServer();
  const shown: string[] = [];
  const interaction = {
    ...browser,
    authorize: async (url: URL) => {
      shown.push(url.href);
      return new URLSearchParams();
    },
  };
  for (const endpoint of HOSTILE) {
    server.options.metadata = { authorization_endpoint: endpoint };
    const thrown = await rejection(providerFor(server, { interaction }).login());
    expect([endpoint, thrown]).toEqual([endpoint, expect.any(AuthError)]);
  }
  expect(shown).toEqual([]);
});

verifies("login:attacks", "an answer of the wrong issuer or of another login is not believed", async () => {
  await using server = await protectedServer();
  const cases = [
    { answer: { iss: "https://other.example" } },
    { answer: { iss: undefined } },
    { answer: { state: "another" } },
    { answer: { iss: "https://other.example", error: "access_denied", error_description: "call 555" } },
    { answer: {}, metadata: { issuer: "https://other.example" } },
  ];
  for (const { answer, metadata } of cases) {
    Object.assign(server.options, { answer, metadata });
    const thrown = await rejection(providerFor(server, { interaction: browser }).login());
    expect(thrown).toMatchObject({ name: "AuthError", kind: "unsafe" });
    expect(thrown.message).not.toContain("555");
  }
  expect(server.seen.filter(({ path }) => path === "/token")).toEqual([]);
});

verifies("login:attacks", "a refusal by the user is an error with the reason", async () => {
  await using server = await protectedServer({ denies: true });
  const thrown = await rejection(providerFor(server, { interaction: browser }).login());
  expect(thrown).toMatchObject({ kind: "denied", message: expect.stringContaining("access_denied") });
});

interface Addressed {
  /** The address that every host name has. */
  readonly own: string;
  /** What the server names as its metadata. */
  readonly named: string;
}

/** Which URLs are requested when a server with this address names that URL. */
async function requestedFor({ own, named }: Addressed): Promise<readonly string[]> {
  const requested: string[] = [];
  const auth = createOAuthProvider({
    serverUrl: "https://mcp.example/mcp",
    interaction: browser,
    resolve: async (host) => (host === "inner.example" ? ["192.168.7.7"] : [own]),
    fetch: async (input) => {
      requested.push(new URL(input instanceof Request ? input.url : input).origin);
      return new Response("{}", { status: 404 });
    },
  });
  const headers = { "www-authenticate": `Bearer resource_metadata="${named}"` };
  const response = new Response("", { status: 401, headers });
  await rejection(
    auth.onUnauthorized?.({ response, serverUrl: new URL("https://mcp.example/mcp") }) ?? Promise.resolve(),
  );
  return requested.filter((origin) => origin !== "https://mcp.example");
}

verifies(
  "login:addresses",
  "an address that a server names must be public or in the network of its own",
  async () => {
    const publicAddress = "93.184.216.34";
    const refused: readonly Addressed[] = [
      { own: publicAddress, named: "http://127.0.0.1:9/x" },
      { own: publicAddress, named: "https://[::1]/x" },
      { own: publicAddress, named: "https://10.1.2.3/x" },
      { own: publicAddress, named: "https://inner.example/x" },
      { own: publicAddress, named: "https://[::ffff:10.1.2.3]/x" },
      { own: publicAddress, named: "http://auth.example/x" },
      { own: publicAddress, named: "http://169.254.169.254/x" },
      { own: "127.0.0.1", named: "https://inner.example/x" },
      { own: "127.0.0.1", named: "http://169.254.169.254/x" },
      { own: "192.168.1.2", named: "http://127.0.0.1/x" },
    ];
    for (const addressed of refused)
      expect([addressed, await requestedFor(addressed)]).toEqual([addressed, []]);
    const allowed: readonly Addressed[] = [
      { own: publicAddress, named: "https://auth.example/x" },
      { own: "127.0.0.1", named: "http://127.0.0.1:9/x" },
      { own: "192.168.1.2", named: "https://inner.example/x" },
    ];
    for (const addressed of allowed)
      expect(await requestedFor(addressed)).toEqual([new URL(addressed.named).origin]);
  },
);

verifies("login:addresses", "a private address that a server names is the reason that is given", async () => {
  const names: { readonly [what: string]: { readonly resource?: string; readonly issuer?: string } } = {
    metadata: { resource: "https://10.1.2.3/x" },
    "metadata under a name": { resource: "https://inner.example/x" },
    "an authorization server": { issuer: "https://10.1.2.3" },
    "an authorization server under a name": { issuer: "https://auth.internal" },
  };
  for (const [
    what,
    { resource = "https://mcp.example/meta", issuer = "https://mcp.example" },
  ] of Object.entries(names)) {
    const auth = createOAuthProvider({
      serverUrl: "https://mcp.example/mcp",
      interaction: browser,
      resolve: async (host) => {
        if (host === "auth.internal") throw new Error("not found");
        return host === "inner.example" ? ["192.168.7.7"] : ["93.184.216.34"];
      },
      fetch: async (input) => {
        const { href } = new URL(input instanceof Request ? input.url : input);
        const document = { resource: "https://mcp.example/mcp", authorization_servers: [issuer] };
        return href === "https://mcp.example/meta"
          ? Response.json(document)
          : new Response("{}", { status: 404 });
      },
    });
    const headers = { "www-authenticate": `Bearer resource_metadata="${resource}"` };
    const response = new Response("", { status: 401, headers });
    const refused = { response, serverUrl: new URL("https://mcp.example/mcp") };
    const error = await rejection(auth.onUnauthorized?.(refused) ?? Promise.resolve());
    expect(error, what).toMatchObject({ kind: "unsafe" });
    expect(error.message, what).toMatch(
      /^the server names a private address, https:\/\/(10\.1\.2\.3|inner\.example|auth\.internal)[ ,].* which a remote server is not allowed to do; .*"authorizationServer"/,
    );
  }
});

verifies("login:addresses", "a redirect during discovery is not followed to another origin", async () => {
  const requested: string[] = [];
  const auth = createOAuthProvider({
    serverUrl: "https://mcp.example/mcp",
    interaction: browser,
    resolve: async () => ["93.184.216.34"],
    fetch: async (input) => {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      requested.push(origin);
      return new Response("", { status: 302, headers: { location: "http://169.254.169.254/latest" } });
    },
  });
  expect(await rejection(auth.login())).toBeInstanceOf(AuthError);
  expect(new Set(requested)).toEqual(new Set(["https://mcp.example"]));
});

verifies(
  "login:secrets",
  "no token, code or secret is in a fault, a status, or what is printed",
  async () => {
    await using server = await protectedServer();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    try {
      const store = createMemoryTokenStore();
      await providerFor(server, { store, interaction: browser }).login();
      const echoes = (form: { readonly [name: string]: string }) => ({
        status: 400,
        json: { error: "invalid_grant", error_description: `no: ${JSON.stringify(form)}` },
      });
      server.expire();
      server.options.tokenFailure = echoes;
      const auth = providerFor(server, { store });
      const endpoint = endpointFor(server, auth);
      const fault = await rejection(endpoint.open());
      const failed = await rejection(providerFor(server, { store, interaction: browser }).login());
      const texts = [fault, fault.cause, failed, failed.cause, endpoint.status(), await auth.status()];
      expect(failed.message).toContain("invalid_grant");
      expect(warn).not.toHaveBeenCalled(); // The SDK would print what the authorization server wrote.
      expect(texts.map((value) => inspected(value)).join("\n")).not.toContain("canary");
    } finally {
      warn.mockRestore();
    }
  },
);

/** All that a log could show of a value. */
function inspected(value: unknown): string {
  const { message = "", stack = "" } = (value ?? {}) as Partial<Error>;
  return `${process.getBuiltinModule("node:util").inspect(value, { depth: 9 })}${message}${stack}${JSON.stringify(value)}`;
}
