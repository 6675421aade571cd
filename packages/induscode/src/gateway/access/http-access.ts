import { randomBytes } from "node:crypto";
import { describeError, type Environment, isLoopbackHost } from "indusagi/core";
import { sharedSecret, type TokenVerifier, type VerifiedToken } from "indusagi/interop";
import type { GatewayTokens } from "./gateway-tokens.ts";
import { AccessError, matchesHash, principalOf, type TokenRecord, tokenIdIn } from "./token-record.ts";

export interface HttpAccessOptions {
  /** The address to listen on. */
  readonly host: string;
  /** The environment variable that holds a token. */
  readonly tokenEnv?: string | undefined;
  /** Require a token even on localhost. Default: only if tools that change something are offered. */
  readonly requireToken?: boolean | undefined;
  /** Whether tools that may change something on this machine are offered. */
  readonly changes: boolean;
  /** Whether a token may be made for this run and printed: not if the output goes to a log. Default: true. */
  readonly canShow?: boolean | undefined;
  readonly env: Environment;
  /** Absent: there is no state folder. */
  readonly store?: GatewayTokens | undefined;
  readonly report: (message: string) => void;
}

/** Who may use a gateway over HTTP. */
export interface HttpAccess {
  readonly verifier?: TokenVerifier | undefined;
  /** Whether requests without a token are served too. */
  readonly admitsAnonymous: boolean;
  /** A token made for this run, because one is needed and there is none. */
  readonly madeToken?: string | undefined;
}

/** Decides who may use a gateway. Throws, with the fix, if a required token does not exist. */
export function httpAccess(options: HttpAccessOptions): HttpAccess {
  const { host, tokenEnv, requireToken = false, changes, env, store, report } = options;
  const { canShow = true } = options;
  const isOpen = !isLoopbackHost(host);
  const needsToken = isOpen || requireToken || changes || tokenEnv !== undefined;
  const hasToken = tokenEnv !== undefined || (needsToken && (store?.list().length ?? 0) > 0);
  if (needsToken && !hasToken && (isOpen || requireToken || !canShow)) {
    const what = isOpen
      ? `serve --host ${host} is open to other machines and`
      : requireToken
        ? "serve --require-token"
        : "serve with this profile writes a log, which must not show a token, and";
    throw new AccessError(
      "needs_token",
      `${what} needs a token: create one with indus token add NAME, or name its variable with --token-env VAR`,
    );
  }
  const made = needsToken && !hasToken ? randomBytes(24).toString("base64url") : undefined;
  const owner =
    tokenEnv !== undefined
      ? verifierFrom(tokenEnv, env)
      : made === undefined
        ? undefined
        : sharedSecret(made);
  const verifier = store ? storeVerifier({ store, owner, report }) : owner;
  return {
    admitsAnonymous: !needsToken,
    verifier,
    madeToken: made,
  };
}

/** The characters of a bearer token, and a length that cannot be guessed. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{16,}=*$/;

/** Accepts the token in a variable. Throws, with the fix, if there is no usable one. */
export function verifierFrom(variable: string, env: Environment): TokenVerifier {
  const token = env[variable];
  if (!token) throw new Error(`--token-env: the variable ${variable} is not set; set it to the token`);
  if (!TOKEN.test(token))
    throw new Error(
      `--token-env: ${variable} does not hold a usable token; use at least 16 characters of A–Z a–z 0–9 -._~+/`,
    );
  return sharedSecret(token);
}

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The stored token in an `Authorization` header. Undefined if there is none, or it is unknown. Throws if the file is unusable. */
export function bearerToken(
  store: Pick<GatewayTokens, "find"> | undefined,
  header: string | undefined,
): TokenRecord | undefined {
  const token = BEARER.exec(header ?? "")?.[1] ?? "";
  const id = tokenIdIn(token);
  const record = id === undefined ? undefined : store?.find(id);
  return record && matchesHash(token, record.hash) ? record : undefined;
}

interface StoreVerifierOptions {
  readonly store: Pick<GatewayTokens, "find">;
  /** Tried first: the token of `--token-env`, or one made for this run. */
  readonly owner?: TokenVerifier | undefined;
  /** Called once each time the token file becomes unusable. */
  readonly report: (message: string) => void;
}

/** Accepts the tokens that are in the store now: a revoked token is refused even while in use. */
export function storeVerifier({ store, owner, report }: StoreVerifierOptions): TokenVerifier {
  let reported: string | undefined;
  /** While the file is unusable, no token is accepted. */
  const found = (token: string): TokenRecord | undefined => {
    const id = tokenIdIn(token);
    if (id === undefined) return undefined;
    try {
      const record = store.find(id);
      reported = undefined;
      return record && matchesHash(token, record.hash) ? record : undefined;
    } catch (thrown) {
      const message = describeError(thrown);
      if (message !== reported) report(`no token is accepted: ${message}`);
      reported = message;
      return undefined;
    }
  };
  const verify = async (token: string): Promise<VerifiedToken | undefined> => {
    const owned = await owner?.verify(token);
    if (owned) return owned;
    const record = found(token);
    // Any audience: no other folder's store has this token.
    return record && { principal: principalOf(record), audience: "any" };
  };
  return { verify, recheck: async (token) => (await verify(token)) !== undefined };
}
