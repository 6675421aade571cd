import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";
import { serveHttp } from "../../../../../test/servers/server.mjs";

/** An authorization server of others, and an MCP server that asks it about every token. */
export interface RealIssuer extends AsyncDisposable {
  /** The MCP server. */
  readonly url: string;
  readonly issuer: string;
  /** Makes every access token invalid. */
  revokeAccessTokens(): void;
}

/** `oidc-provider` with its own pages for a login, on loopback. */
export async function realIssuer(): Promise<RealIssuer> {
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const revoked = new Set<string>();
  const seen = new Set<string>();
  const mcp = await serveHttp({ era: "modern", admit: (request) => admit(request) });
  const provider = await quietly(() => newProvider(issuer, mcp.url));
  http.on("request", provider.callback());

  function admit(request: IncomingMessage) {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      const body = JSON.stringify({
        resource: mcp.url,
        authorization_servers: [issuer],
        scopes_supported: ["notes"],
      });
      return { status: 200, headers: { "content-type": "application/json" }, body };
    }
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    seen.add(token);
    // The provider issues signed tokens for this resource; their signature and times are its own business here.
    const isOurs = audienceOf(token) === mcp.url && !revoked.has(token);
    const metadata = new URL("/.well-known/oauth-protected-resource/mcp", mcp.url).href;
    return isOurs
      ? undefined
      : { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` } };
  }

  return {
    url: mcp.url,
    issuer,
    revokeAccessTokens: () => {
      for (const token of seen) revoked.add(token);
    },
    [Symbol.asyncDispose]: async () => {
      await mcp.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function newProvider(issuer: string, resource: string) {
  const { default: Provider } = await import("oidc-provider");
  return new Provider(issuer, {
    scopes: ["openid", "offline_access", "notes"],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id }),
    }),
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, RefreshToken: 600, IdToken: 600 },
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async () => ({
          scope: "notes",
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
        }),
      },
    },
  });
}

/** It warns about its settings for development. */
async function quietly<Value>(work: () => Promise<Value>): Promise<Value> {
  const spies = (["warn", "info"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => {}),
  );
  try {
    return await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

function audienceOf(token: string): unknown {
  try {
    return (JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { aud?: unknown })
      .aud;
  } catch {
    return undefined;
  }
}

/** A person with a browser: follows redirects, keeps cookies, and sends the forms of the login pages. */
export async function personAt(url: URL, redirectUrl: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let next: URL = url;
  let form: string | undefined;
  for (let step = 0; step < 20; step++) {
    const response = await fetch(next, {
      redirect: "manual",
      headers: {
        cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) {
      next = new URL(location, next);
      form = undefined;
      if (next.href.startsWith(redirectUrl)) return next.searchParams;
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (action === undefined || prompt === undefined) throw new Error(`no form at ${next.pathname}: ${page}`);
    next = new URL(action, next);
    form = new URLSearchParams({ prompt, login: "ada", password: "any" }).toString();
  }
  throw new Error("the login did not end");
}
