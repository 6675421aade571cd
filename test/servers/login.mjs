// An authorization server and the MCP server that it protects, both on loopback, without any library. It grants everything at
// once, records what it is sent, and can be told to lie. Refresh tokens are valid once; a second use is refused.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { serveHttp } from "./server.mjs";

const JSON_TYPE = { "content-type": "application/json" };

export async function serveLogin(options = {}) {
  const state = newState(options);
  const http = createServer((request, response) => {
    void answer(state, request, response);
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  state.issuer = `http://127.0.0.1:${http.address().port}`;
  state.server = await serveHttp({ era: options.era ?? "modern", admit: (request) => admit(state, request) });
  state.url = state.server.url;
  return Object.assign(state, {
    close: async () => {
      await state.server.close();
      await new Promise((resolve) => (http.closeAllConnections(), http.close(resolve)));
    },
  });
}

function newState(options) {
  return {
    options: { expiresIn: 3600, ...options },
    /** Every request to the authorization server: path, headers and body. */
    seen: [],
    counts: { redemptions: 0, registrations: 0, refusals: 0, authorizations: 0 },
    tokens: new Map(),
    refreshTokens: new Map(),
    codes: new Map(),
    /** Makes all access tokens invalid, as if they had expired. */
    expire() {
      this.tokens.clear();
    },
  };
}

/** The MCP server's own check of a request. */
function admit(state, request) {
  const { options, server } = state;
  if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
    const document = { resource: server.url, authorization_servers: [state.issuer], ...options.resource };
    if (options.resource === null) return { status: 404 };
    return { status: 200, headers: JSON_TYPE, body: JSON.stringify(document) };
  }
  const token = request.headers.authorization?.replace(/^Bearer /, "");
  const grant = state.tokens.get(token);
  const metadata =
    options.resourceMetadataUrl ?? new URL("/.well-known/oauth-protected-resource/mcp", server.url);
  const challenge = `Bearer resource_metadata="${metadata}"`;
  if (!grant || grant.expiresAt <= Date.now())
    return { status: 401, headers: { "www-authenticate": challenge } };
  const needed = options.requires?.(request);
  if (needed && !grant.scope.split(" ").includes(needed))
    return {
      status: 403,
      headers: { "www-authenticate": `${challenge}, error="insufficient_scope", scope="${needed}"` },
    };
  return undefined;
}

async function answer(state, request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const url = new URL(request.url, state.issuer);
  state.seen.push({ path: url.pathname, headers: request.headers, body, query: url.search });
  const handler = HANDLERS[url.pathname];
  if (!handler) return response.writeHead(404).end();
  const reply = await handler(state, { url, body, headers: request.headers });
  const { status = 200, headers = JSON_TYPE, json } = reply;
  return response.writeHead(status, headers).end(json === undefined ? "" : JSON.stringify(json));
}

const HANDLERS = {
  "/.well-known/oauth-authorization-server": (state) => ({ json: metadataOf(state) }),
  "/register": register,
  "/authorize": authorize,
  "/token": token,
  "/revoke": (state, { body }) => {
    state.refreshTokens.delete(new URLSearchParams(body).get("token"));
    return {};
  },
};

function metadataOf({ issuer, options }) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    authorization_response_iss_parameter_supported: true,
    ...options.metadata,
  };
}

function register(state, { body }) {
  state.counts.registrations++;
  const client = { ...JSON.parse(body), client_id: `client-${state.counts.registrations}` };
  return { status: 201, json: client };
}

function authorize(state, { url }) {
  state.counts.authorizations++;
  const asked = Object.fromEntries(url.searchParams);
  const target = new URL(asked.redirect_uri);
  const code = secret("code");
  state.codes.set(code, asked);
  const answer = state.options.denies
    ? { error: "access_denied", error_description: "no", iss: state.issuer }
    : { code, iss: state.issuer };
  for (const [name, value] of Object.entries({ ...answer, state: asked.state, ...state.options.answer }))
    if (value !== undefined) target.searchParams.set(name, value);
  return { status: 302, headers: { location: target.href } };
}

async function token(state, { body, headers }) {
  const form = Object.fromEntries(new URLSearchParams(body));
  const failure = state.options.tokenFailure?.(form);
  if (failure) return failure;
  if (state.options.tokenDelayMs) await new Promise((done) => setTimeout(done, state.options.tokenDelayMs));
  if (form.grant_type === "client_credentials") return issue(state, form.scope ?? "", headers);
  if (form.grant_type === "refresh_token") return redeem(state, form);
  const asked = state.codes.get(form.code);
  state.codes.delete(form.code);
  const challenge = createHash("sha256")
    .update(form.code_verifier ?? "")
    .digest("base64url");
  if (!asked || asked.code_challenge !== challenge || asked.redirect_uri !== form.redirect_uri)
    return refused(state, "invalid_grant");
  return issue(state, asked.scope ?? "");
}

function redeem(state, form) {
  const grant = state.refreshTokens.get(form.refresh_token);
  if (!grant) return refused(state, "invalid_grant");
  state.counts.redemptions++;
  state.refreshTokens.delete(form.refresh_token);
  return issue(state, grant.scope);
}

function issue(state, scope) {
  const { expiresIn, hasRefresh = true, idToken } = state.options;
  const accessToken = secret("access");
  const refreshToken = secret("refresh");
  state.tokens.set(accessToken, { scope, expiresAt: Date.now() + expiresIn * 1000 });
  if (hasRefresh) state.refreshTokens.set(refreshToken, { scope });
  return {
    json: {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: expiresIn,
      scope,
      ...(hasRefresh ? { refresh_token: refreshToken } : {}),
      ...(idToken ? { id_token: idToken } : {}),
    },
  };
}

function refused(state, error) {
  state.counts.refusals++;
  return { status: 400, json: { error } };
}

function secret(kind) {
  return `canary-${kind}-${randomBytes(16).toString("hex")}`;
}
