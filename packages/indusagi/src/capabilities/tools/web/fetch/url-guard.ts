import { isPublicAddress } from "../../../../core/index.ts";
import { WebError } from "../web-error.ts";
import { REFUSED_PORTS } from "./refused-ports.ts";

/** Whether a URL that passed was opened by a person (`opened`) or must still lead to public addresses (`guarded`). */
export type Passage = "opened" | "guarded";

/** Decides by its text alone whether a URL may be requested. What its name leads to is checked when it is dialled. */
export interface UrlGuard {
  /** Throws a `WebError` of kind `refused` that says what is wrong. */
  check(url: URL): Passage;
}

/** A guard that lets through public http(s) URLs, and every `host` or `host:port` listed in `allowHosts`. */
export function createUrlGuard(allowHosts: readonly string[] = []): UrlGuard {
  const opened = allowHosts.map(parseHost);
  return {
    check(url) {
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw refused(`${url.protocol} URLs are not fetched; only http: and https: are`);
      }
      if (url.username !== "" || url.password !== "") {
        throw refused("a URL with a user name or password in it is not fetched; leave them out");
      }
      const port = effectivePort(url);
      const host = bareHost(url.hostname);
      if (opened.some((entry) => entry.host === host && entry.port === port)) return "opened";
      if (!isPortAllowed(port))
        throw refused(`port ${port} is not fetched from: it does not belong to web servers`);
      if (opened.some((entry) => entry.host === host && entry.port === undefined)) return "opened";
      checkHost(host);
      return "guarded";
    },
  };
}

/** Parses what a model or a page gave as a URL; throws a `WebError` when it is none. */
export function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href))
    throw refused("that is not a URL; give one that starts with http:// or https://");
  return new URL(text, base);
}

/** The host as sockets and resolvers want it: no brackets around IPv6, no dot at the end. */
export function bareHost(hostname: string): string {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return host.replace(/\.$/, "").toLowerCase();
}

function checkHost(host: string): void {
  if (host === "localhost" || host.endsWith(".localhost"))
    throw refused(`${host} is this machine, ${NOT_PUBLIC}`);
  if (process.getBuiltinModule("node:net").isIP(host) !== 0 && !isPublicAddress(host))
    throw refused(`${host} is ${NOT_PUBLIC}`);
}

const NOT_PUBLIC =
  "not a public internet address; a host must be opened explicitly (allowHosts) to be fetched from";

/** Web servers live on 80, 443 and above 1023, except where something else is known to listen. */
function isPortAllowed(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !REFUSED_PORTS.has(port));
}

function effectivePort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

interface OpenedHost {
  readonly host: string;
  readonly port?: number;
}

function parseHost(entry: string): OpenedHost {
  const [, name = "", port] = /^(\[[^\]]+\]|[^\s/:@?#\\[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  // Written as the URL of a request will have it: lower case, numbers and full-width letters brought into one form.
  const url = URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`) : undefined;
  if (!url) throw refused(`allowHosts has ${JSON.stringify(entry)}, which is neither "host" nor "host:port"`);
  const host = bareHost(url.hostname);
  return port === undefined ? { host } : { host, port: Number(port) };
}

function refused(message: string): WebError {
  return new WebError("refused", message);
}
