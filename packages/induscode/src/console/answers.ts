import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describeError } from "indusagi/core";
import type { ConsoleError } from "./contract.ts";
import { ConsoleRefusal, PAGE_POLICY } from "./guard.ts";
import { RefusedChange } from "./user-changes.ts";

// How the console answers: JSON, lines of JSON, files of the page, refusals.

export function send(response: ServerResponse, answer: object): void {
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(answer));
}

export function startLines(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "application/x-ndjson; charset=utf-8",
    "cache-control": "no-store",
    // Proxies would collect the lines.
    "x-accel-buffering": "no",
  });
  response.flushHeaders();
}

export function sendAsset(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const { type, body, gzip, isImmutable } = asset;
  const isSmall = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  const sent = isSmall ? gzip : body;
  response.writeHead(200, {
    "content-type": type,
    "content-length": sent.length,
    "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": PAGE_POLICY,
    "x-frame-options": "DENY",
    vary: "accept-encoding",
    ...(isSmall && { "content-encoding": "gzip" }),
  });
  response.end(request.method === "HEAD" ? undefined : sent);
}

export function refuse(response: ServerResponse, thrown: unknown, report: (message: string) => void): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { status, code, message, remedy } = refusalOf(thrown);
  if (status === 500) report(`the console cannot answer: ${message}`);
  const body: ConsoleError = { error: { code, message, remedy } };
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  });
  response.end(JSON.stringify(body));
}

function refusalOf(thrown: unknown): Pick<ConsoleRefusal, "status" | "code" | "message" | "remedy"> {
  if (thrown instanceof ConsoleRefusal) return thrown;
  if (thrown instanceof RefusedChange)
    return { status: 409, code: "conflict", message: thrown.message, remedy: undefined };
  return { status: 500, code: "failed", message: describeError(thrown), remedy: undefined };
}

/** One file of the page, as it is sent. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  /** Its name changes with its content. */
  readonly isImmutable: boolean;
}

/** The files of the page, as they were built. */
const PAGE = new URL("../../dist/console/", import.meta.url);

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** One plain name: no separators, so nothing outside of the folder can be meant. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const HASHED = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const sent = new Map<string, Asset>();

/** The page itself; undefined if it was not built. */
export function pageAsset(folder: URL = PAGE): Asset | undefined {
  return read(new URL("index.html", folder), false);
}

/** A file next to the page by its name; undefined if there is none. */
export function namedAsset(name: string, folder: URL = PAGE): Asset | undefined {
  if (!NAME.test(name) || TYPES[extname(name)] === undefined) return undefined;
  return read(new URL(`assets/${name}`, folder), HASHED.test(name));
}

function read(url: URL, isImmutable: boolean): Asset | undefined {
  const known = sent.get(url.href);
  if (known) return known;
  let body: Buffer;
  try {
    body = readFileSync(fileURLToPath(url));
  } catch {
    return undefined;
  }
  const type = TYPES[extname(url.pathname)] ?? "application/octet-stream";
  const asset = { type, body, gzip: gzipSync(body), isImmutable };
  // A file with a fixed name may be built again while we serve.
  if (isImmutable) sent.set(url.href, asset);
  return asset;
}
