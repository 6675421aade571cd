import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isLoopbackHost } from "indusagi/core";
import type { ConsoleErrorCode } from "./contract.ts";

/** Why a request is refused. */
export class ConsoleRefusal extends Error {
  readonly status: number;
  readonly code: ConsoleErrorCode;
  readonly remedy: string | undefined;

  constructor(status: number, code: ConsoleErrorCode, message: string, remedy?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.remedy = remedy;
  }
}

const FORWARDED = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/** Whether a request comes from a program on this machine, straight to us. */
export function isFromHere({ headers, socket }: IncomingMessage): boolean {
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:/i, "");
  if (!isLoopbackHost(address) || FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return isLoopbackHost(hostNameOf(headers) ?? "");
}

/** Refuses a request from another machine that was not encrypted on its way: a key in it could be read. */
export function refuseUnencrypted(request: IncomingMessage): void {
  if (isFromHere(request) || isThroughTls(request.headers)) return;
  throw new ConsoleRefusal(
    403,
    "foreign",
    "from another machine the console needs https",
    "put a proxy with a certificate in front of the gateway that sets X-Forwarded-Proto, and use indus console --url https://…",
  );
}

function isThroughTls(headers: IncomingHttpHeaders): boolean {
  return headers["x-forwarded-proto"] === "https" || /(^|[;,\s])proto="?https/i.test(headers.forwarded ?? "");
}

/** Refuses what another web page asks of us, also one at another port of this host. Browsers say so themselves. */
export function refuseOtherSites({ headers, method = "GET" }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin")
    throw new ConsoleRefusal(403, "foreign", "the request comes from another page");
  const { origin } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, headers))
    throw new ConsoleRefusal(403, "foreign", "the request comes from a page at another address");
  if (method !== "GET" && method !== "HEAD" && origin === undefined)
    throw new ConsoleRefusal(403, "foreign", "a change needs the header Origin, as browsers send it");
}

/** A file of the page, or the page itself: a user may open it, and it may load its own files, but no other page may use them. */
export function refuseEmbedding({ headers }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  const isOpened = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] !== "iframe";
  if (site === undefined || site === "none" || site === "same-origin" || isOpened) return;
  throw new ConsoleRefusal(403, "foreign", "the request comes from another page");
}

/** A proxy in front of us may speak https, so only the host and the port are compared. */
function isOwnOrigin(origin: string, headers: IncomingHttpHeaders): boolean {
  if (!URL.canParse(origin) || headers.host === undefined) return false;
  const { protocol, host } = new URL(origin);
  if (protocol !== "http:" && protocol !== "https:") return false;
  return host === new URL(`${protocol}//${headers.host}`).host;
}

/** The name that a request was sent to, without the port. */
export function hostNameOf({ host }: IncomingHttpHeaders): string | undefined {
  return host !== undefined && URL.canParse(`http://${host}`)
    ? new URL(`http://${host}`).hostname
    : undefined;
}

/** The policy of the page. Frames show the pages of MCP Apps, each with a policy of its own. */
export const PAGE_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "worker-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** The headers of every answer. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "x-dns-prefetch-control": "off",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()",
};
