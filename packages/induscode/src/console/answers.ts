import type { IncomingMessage, ServerResponse } from "node:http";
import { describeError } from "indusagi/core";
import type { Asset } from "./assets.ts";
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
