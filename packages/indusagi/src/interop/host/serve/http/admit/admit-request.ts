import type { IncomingMessage } from "node:http";
import { RpcCode } from "../../../../wire/index.ts";
import type { loadServerSdk } from "../../../server-sdk.ts";
import type { HttpServeOptions } from "../http-options.ts";
import { checkBearer, type TokenRefusal, type VerifiedToken } from "./bearer.ts";
import type { Refusal } from "./refusal.ts";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

export interface Gate {
  /** Admits a request, with the content of its token if one is required; or returns why it is refused. */
  admit(
    request: IncomingMessage,
  ): Promise<{ readonly token?: VerifiedToken } | { readonly refusal: Refusal }>;
  /** Whether a page of this origin may call us, and so may send a preflight request. */
  allowsOrigin(origin: string): boolean;
}

/** Decides which requests are served: right path and host name, no unknown web page, and a valid token if required. */
export function createGate(
  options: HttpServeOptions,
  audience: string,
  sdk: Awaited<ReturnType<typeof loadServerSdk>>,
): Gate {
  const { path = "/mcp", verifier, allowedHosts = [], allowedOrigins = [] } = options;
  const hosts = [...LOOPBACK_NAMES, ...allowedHosts];
  // On an address that other machines reach, with a token required, any host name is accepted unless names are
  // listed.
  const checksHost = isLoopback(options.host ?? "127.0.0.1") || allowedHosts.length > 0;
  const origins = [...LOOPBACK_NAMES, ...allowedOrigins];

  return {
    allowsOrigin: (origin) => sdk.validateOriginHeader(origin, [...allowedOrigins]).ok,
    admit: async (request) => {
      const { host, origin, authorization } = request.headers;
      if (request.url !== path && pathOf(request.url ?? "/") !== path)
        return {
          refusal: { status: 404, code: RpcCode.REFUSED, message: `Not Found: the endpoint is ${path}` },
        };
      const named = checksHost ? sdk.validateHostHeader(host, hosts) : { ok: true as const };
      if (!named.ok) return { refusal: { status: 403, code: RpcCode.REFUSED, message: named.message } };
      const from = sdk.validateOriginHeader(origin, origins);
      if (!from.ok) return { refusal: { status: 403, code: RpcCode.REFUSED, message: from.message } };
      if (!verifier) return {};
      const token = await checkBearer(authorization, verifier, audience);
      return typeof token === "string" ? { refusal: challenge(token, options) } : { token };
    },
  };
}

/** The path of a request target; `undefined` if the target is not a URL. */
function pathOf(target: string): string | undefined {
  return URL.canParse(target, "http://host") ? new URL(target, "http://host").pathname : undefined;
}

/** Whether an address is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

const REASONS: { readonly [reason in TokenRefusal]: string } = {
  missing_token: "a bearer token is required",
  invalid_token: "the token is not known here",
  wrong_audience: "the token was made for another audience",
  expired_token: "the token has expired",
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
