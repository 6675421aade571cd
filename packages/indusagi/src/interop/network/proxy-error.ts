import { CoreError, errorCode } from "../../core/index.ts";
import type { ProxySettings } from "../../core/internal.ts";

/** A problem with a proxy of the environment, not with the server behind it. */
export class ProxyError extends CoreError<"bad_address" | "unreachable"> {}

/** The error for a proxy that cannot be reached: the original one looks as if it were about the server. */
export function proxyFailure(
  thrown: unknown,
  target: URL,
  { httpProxy, httpsProxy }: ProxySettings,
): ProxyError | undefined {
  const address = (target.protocol === "https:" && httpsProxy) || httpProxy;
  if (!URL.canParse(address)) return undefined;
  const proxy = new URL(address);
  const failed = connectionError((thrown as { readonly cause?: unknown }).cause);
  const isAboutProxy =
    (failed.hostname === proxy.hostname && target.hostname !== proxy.hostname) ||
    (failed.port === portOf(proxy) && portOf(target) !== portOf(proxy));
  if (!isAboutProxy) return undefined;
  const message = `the proxy at ${proxy.host} cannot be reached (${failed.code ?? "no answer"})`;
  return new ProxyError("unreachable", message, { cause: thrown });
}

/** Where a connection failed. An error about several addresses of one host names them in `errors`. */
function connectionError(cause: unknown): {
  readonly code: string | undefined;
  readonly hostname?: unknown;
  readonly port?: unknown;
} {
  if (typeof cause !== "object" || cause === null) return { code: undefined };
  const { hostname, port, errors } = cause as { hostname?: unknown; port?: unknown; errors?: unknown };
  if (Array.isArray(errors)) return connectionError(errors[0]);
  return { code: errorCode(cause), hostname, port };
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}
