import { isPublicAddress } from "../../../core/index.ts";
import { bareHost } from "../../../core/internal.ts";
import { WebError } from "../web-error.ts";

/** `allowed`: the host is in `allowHosts`. `guarded`: its addresses must still be checked when connecting. */
export type HostCheck = "allowed" | "guarded";

/** Decides from its text whether a URL may be requested. Its addresses are checked when connecting. */
export interface UrlGuard {
  /** Throws a `WebError` of kind `refused` if the URL is not allowed. */
  check(url: URL): HostCheck;
}

/** A guard that allows public http(s) URLs, and every `host` or `host:port` in `allowHosts`. */
export function createUrlGuard(allowHosts: readonly string[] = []): UrlGuard {
  const allowed = allowHosts.map(parseHost);
  return {
    check(url) {
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw refused(`${url.protocol} URLs are not fetched; only http: and https: are`);
      }
      if (url.username !== "" || url.password !== "") {
        throw refused("a URL with a user name or password is not fetched; leave them out");
      }
      const port = effectivePort(url);
      const host = bareHost(url.hostname);
      if (allowed.some((entry) => entry.host === host && entry.port === port)) return "allowed";
      if (!isPortAllowed(port)) throw refused(`port ${port} is not allowed: it is not a web server port`);
      if (allowed.some((entry) => entry.host === host && entry.port === undefined)) return "allowed";
      checkHost(host);
      return "guarded";
    },
  };
}

/** Parses a URL from a model or a page. Throws a `WebError` if it is not valid. */
export function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href))
    throw refused("not a valid URL; give one that starts with http:// or https://");
  return new URL(text, base);
}

function checkHost(host: string): void {
  if (host === "localhost" || host.endsWith(".localhost"))
    throw refused(`${host} is this machine, ${NOT_PUBLIC}`);
  if (process.getBuiltinModule("node:net").isIP(host) !== 0 && !isPublicAddress(host))
    throw refused(`${host} is ${NOT_PUBLIC}`);
}

const NOT_PUBLIC = "not a public internet address; such a host must be allowed explicitly (allowHosts)";

/** Web servers use 80, 443 and ports above 1023, except those of other known services. */
function isPortAllowed(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !REFUSED_PORTS.has(port));
}

function effectivePort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

interface AllowedHost {
  readonly host: string;
  readonly port?: number;
}

function parseHost(entry: string): AllowedHost {
  const [, name = "", port] = /^(\[[^\]]+\]|[^\s/:@?#\\[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  // Normalize it like the URL of a request: lower case, one form for numbers and full-width letters.
  const url = URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`) : undefined;
  if (!url) throw refused(`allowHosts has ${JSON.stringify(entry)}, which is neither "host" nor "host:port"`);
  const host = bareHost(url.hostname);
  return port === undefined ? { host } : { host, port: Number(port) };
}

function refused(message: string): WebError {
  return new WebError("refused", message);
}

/** Browsers refuse these ports too. */
const REFUSED_BY_BROWSERS = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
];
const DATABASES = [1433, 1521, 3306, 5432, 6379, 9042, 9160, 9300, 11_211, 26_379, 27_017, 27_018, 27_019];
const BROKERS = [1883, 2181, 4369, 5671, 5672, 9092, 61_616];
const CLUSTER_CONTROL = [2375, 2376, 2377, 2379, 2380, 6443, 10_250, 10_255];
const REMOTE_DESKTOPS = [3389, 5900, 5901, 5985, 5986];

/**
 * Ports above 1023 of services other than web servers that an HTTP request could harm.
 */
const REFUSED_PORTS: ReadonlySet<number> = new Set([
  ...REFUSED_BY_BROWSERS,
  ...DATABASES,
  ...BROKERS,
  ...CLUSTER_CONTROL,
  ...REMOTE_DESKTOPS,
]);
