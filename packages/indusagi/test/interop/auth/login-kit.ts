import {
  createOAuthProvider,
  createServerEndpoint,
  type EndpointOptions,
  type LoginInteraction,
  type OAuthProvider,
  type OAuthProviderOptions,
  type ServerEndpointImpl,
  type TokenSet,
  type TokenStore,
} from "indusagi/interop";
import { type LoginServer, type LoginServerOptions, serveLogin } from "../../../../../test/servers/login.mjs";

/** A server with a login that ends with its scope. */
export async function protectedServer(options?: LoginServerOptions): Promise<LoginServer & AsyncDisposable> {
  const server = await serveLogin(options);
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

/** A browser without a person: it takes the answer from the redirect. */
export const browser: LoginInteraction = {
  redirectUrl: "http://127.0.0.1:1/callback",
  authorize: async (url) => {
    const response = await fetch(url, { redirect: "manual" });
    return new URL(response.headers.get("location") ?? "").searchParams;
  },
};

export function providerFor(
  { url }: LoginServer,
  options: Partial<OAuthProviderOptions> = {},
): OAuthProvider {
  return createOAuthProvider({ serverUrl: url, ...options });
}

export function endpointFor(
  { url }: { readonly url: string },
  auth: NonNullable<EndpointOptions["auth"]>,
): ServerEndpointImpl {
  return createServerEndpoint({ kind: "streamable-http", id: "s", url, onMismatch: "fail" }, undefined, {
    auth,
  });
}

/** Opens an endpoint, calls a tool and closes it. Returns the text of the result. */
export async function called(
  server: { readonly url: string },
  auth: NonNullable<EndpointOptions["auth"]>,
): Promise<string> {
  const endpoint = endpointFor(server, auth);
  try {
    await endpoint.open();
    const { content } = await endpoint.invoke("echo", { text: "hello" });
    return (content[0] as { readonly text: string }).text;
  } finally {
    await endpoint.close();
  }
}

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => new Error("it was not rejected"),
    (thrown: unknown) => thrown as Error,
  );
}

/** Logs in, and lets the access token expire, here and at the server. Resolves to the tokens that are stored. */
export async function expiredLogin(store: TokenStore, server: LoginServer): Promise<TokenSet> {
  await providerFor(server, { store, interaction: browser }).login();
  const [login] = await store.find({ server: server.url, principal: "default" });
  if (!login?.record.tokens) throw new Error("there is no login");
  const tokens = { ...login.record.tokens, expiresAtMs: Date.now() - 1 };
  await store.save(login.key, { ...login.record, tokens });
  server.expire();
  return tokens;
}
