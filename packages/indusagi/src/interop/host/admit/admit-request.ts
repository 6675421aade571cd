import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isLoopbackHost, shortenText } from "../../../core/index.ts";
import { RpcCode } from "../../wire/index.ts";
import type { HttpPage, HttpServeOptions } from "../http/http-options.ts";
import type { loadServerSdk } from "../server-sdk.ts";
import { bearerIn, checkBearer, type TokenRefusal, type VerifiedToken } from "./bearer.ts";
import { type LiveToken, LiveTokens } from "./live-tokens.ts";
import type { Refusal } from "./refusal.ts";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** A request that may be served, with the content of its token if one is required. */
export interface Admission {
  /** The path of the request: the main one or, if the listener has routes, one below it. */
  readonly path: string;
  readonly token?: VerifiedToken;
  /** Follows the token, if it can end. The caller has to hold it at once. */
  follow?(): LiveToken | undefined;
}

/** Admits a request, or says why it is refused. */
export type Admitted = Admission | { readonly refusal: Refusal };

export interface Gate {
  /** Admits a request, or returns why it is refused. */
  admit(request: IncomingMessage): Admitted | Promise<Admitted>;
  /** Why a request for a page besides the endpoint is refused; undefined if it may be served. */
  refusePage(request: IncomingMessage, page: HttpPage): Promise<Refusal | undefined>;
  /** Why a request for a site is refused, if it names a foreign host. */
  refuseHost(request: IncomingMessage): Refusal | undefined;
  /** Whether a page of this origin may call us, and so may send a preflight request. */
  allowsOrigin(origin: string): boolean;
}

export interface AdmissionOptions {
  readonly audience: string;
  readonly sdk: Awaited<ReturnType<typeof loadServerSdk>>;
  readonly recheckMs: number;
  readonly report: (message: string) => void;
}

/** Decides which requests are served: known path and host name, no unknown web page, and a valid token if required. */
export function createGate(
  options: HttpServeOptions,
  { audience, sdk, recheckMs, report }: AdmissionOptions,
): Gate {
  const { host = "127.0.0.1", path = "/mcp", verifier, allowedOrigins = [] } = options;
  const isLocal = isLoopbackHost(host);
  const admitsAnonymous = options.admitsAnonymous === true && isLocal;
  const refuseSender = senderCheck(options, sdk, isLocal);
  const live = new LiveTokens({
    recheck: verifier?.recheck?.bind(verifier),
    recheckMs,
    refusalOf: (why) => challenge(why, options),
    report,
  });
  return {
    refusePage: async (request, { isOpen = false, allows }) => {
      const isFree = isOpen || (isLocal && !isForwarded(request.headers));
      const refusal = refuseSender(request);
      if (refusal || isFree) return refusal;
      // Without a verifier we are on loopback, and a proxy forwarded the request.
      const token = verifier
        ? await checkBearer(bearerIn(request.headers.authorization), verifier, audience)
        : "missing_token";
      if (typeof token === "string") return challenge(token, options);
      const isAllowed = allows?.(token.principal) ?? true;
      return isAllowed
        ? undefined
        : { status: 403, code: RpcCode.REFUSED, message: "Forbidden: the token does not allow this page" };
    },
    refuseHost: hostCheck(options, sdk, isLocal),
    allowsOrigin: (origin) => sdk.validateOriginHeader(origin, [...allowedOrigins]).ok,
    admit: (request) => {
      const { authorization } = request.headers;
      const asked = request.url === path ? path : pathOf(request.url ?? "/");
      // Routes are named only to clients that may use them, so the token is checked first.
      if (asked === undefined || (asked !== path && !(options.routes && asked.startsWith(`${path}/`))))
        return {
          refusal: { status: 404, code: RpcCode.REFUSED, message: `Not Found: the endpoint is ${path}` },
        };
      const refusal = refuseSender(request);
      if (refusal) return { refusal };
      if (!verifier) return { path: asked };
      // A wrong token is still refused: its client expects the rights of a token.
      if (admitsAnonymous && authorization === undefined && !isForwarded(request.headers))
        return { path: asked };
      const secret = bearerIn(authorization);
      return checkBearer(secret, verifier, audience).then((token) =>
        typeof token === "string"
          ? { refusal: challenge(token, options) }
          : { path: asked, token, follow: () => live.follow(secret ?? "", token) },
      );
    },
  };
}

/** Returns a function that refuses foreign host names and web pages that may not call us. */
function senderCheck(
  { allowedHosts = [], allowedOrigins = [] }: HttpServeOptions,
  sdk: AdmissionOptions["sdk"],
  isLocal: boolean,
): (request: IncomingMessage) => Refusal | undefined {
  const origins = [...LOOPBACK_NAMES, ...allowedOrigins];
  const refuseHost = hostCheck({ allowedHosts }, sdk, isLocal);
  /** The last host name that was accepted: nearly all requests repeat it, and parsing it as a URL is slow. */
  let knownHost: string | undefined;
  return (request) => {
    const { host, origin } = request.headers;
    if (host !== undefined && host === knownHost && origin === undefined) return undefined;
    const foreign = refuseHost(request);
    if (foreign) return foreign;
    const checked = sdk.validateOriginHeader(origin, origins);
    if (!checked.ok) return { status: 403, code: RpcCode.REFUSED, message: checked.message };
    knownHost = host;
    return undefined;
  };
}

/** Returns a function that refuses foreign host names, which a page gets by binding its own name to our address. */
function hostCheck(
  { allowedHosts = [] }: Pick<HttpServeOptions, "allowedHosts">,
  sdk: AdmissionOptions["sdk"],
  isLocal: boolean,
): (request: IncomingMessage) => Refusal | undefined {
  const hosts = [...LOOPBACK_NAMES, ...allowedHosts];
  // On an address that other machines reach, with a token required, any host name is accepted unless names are
  // listed.
  const checksHost = isLocal || allowedHosts.length > 0;
  return ({ headers: { host } }) => {
    const named = checksHost ? sdk.validateHostHeader(host, hosts) : { ok: true as const };
    return named.ok ? undefined : { status: 403, code: RpcCode.REFUSED, message: named.message };
  };
}

/** Headers that may occur once, besides those of MCP: of two, a proxy may use the other one. */
const SINGLE_HEADERS = new Set([
  "host",
  "authorization",
  "origin",
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "last-event-id",
]);

/** Refuses a request that has such a header twice. Node keeps the first of two, or joins them, depending on the name. */
export function refuseRepeated({ rawHeaders, headers }: IncomingMessage): Refusal | undefined {
  // Most requests repeat no header at all.
  let names = 0;
  for (const _ in headers) names += 1;
  if (names * 2 === rawHeaders.length) return undefined;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!SINGLE_HEADERS.has(name) && !name.startsWith("mcp-")) continue;
    if (seen.has(name))
      return {
        status: 400,
        code: RpcCode.REFUSED,
        message: `Bad Request: the header ${shortenText(name, MAX_HEADER_CHARS)} occurs more than once`,
        headers: { connection: "close" },
      };
    seen.add(name);
  }
  return undefined;
}

const MAX_HEADER_CHARS = 100;

/** The path of a request target; `undefined` if the target is not a URL. */
export function pathOf(target: string): string | undefined {
  return URL.canParse(target, "http://host") ? new URL(target, "http://host").pathname : undefined;
}

const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** Whether a proxy forwarded a request for another machine: it only seems to come from localhost. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return FORWARDED.some((name) => headers[name] !== undefined);
}

const REASONS: { readonly [reason in TokenRefusal]: string } = {
  missing_token: "a bearer token is required",
  invalid_token: "the token is not known here",
  wrong_audience: "the token was made for another audience",
  expired_token: "the token has expired",
  revoked_token: "the token was revoked",
};

function challenge(reason: TokenRefusal, { resourceMetadataUrl }: HttpServeOptions): Refusal {
  const parts = [
    ...(reason === "missing_token"
      ? []
      : ['error="invalid_token"', `error_description="${REASONS[reason]}"`]),
    ...(resourceMetadataUrl === undefined ? [] : [`resource_metadata="${resourceMetadataUrl}"`]),
  ];
  const header = parts.length > 0 ? `Bearer ${parts.join(", ")}` : "Bearer";
  return {
    status: 401,
    code: RpcCode.REFUSED,
    message: `Unauthorized: ${REASONS[reason]}`,
    headers: { "www-authenticate": header },
  };
}
