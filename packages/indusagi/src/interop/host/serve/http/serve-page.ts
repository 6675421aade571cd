import type { IncomingMessage, ServerResponse } from "node:http";
import { RpcCode } from "../../../wire/index.ts";
import { type Gate, pathOf } from "./admit/admit-request.ts";
import type { Refusal } from "./admit/refusal.ts";
import type { HttpPage, HttpServeOptions } from "./http-options.ts";

/** The page that a request asks for, if it asks for one. */
export function pageAsked(request: IncomingMessage, pages: HttpServeOptions["pages"]): HttpPage | undefined {
  if (!pages) return undefined;
  const { url = "/" } = request;
  // Most requests are for the endpoint: reading them as a URL costs more than this look.
  const path = url.includes("?") ? pathOf(url) : url;
  return path !== undefined && Object.hasOwn(pages, path) ? pages[path] : undefined;
}

/** Answers a request for a page, or returns why it is refused. */
export async function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  { page, gate }: { readonly page: HttpPage; readonly gate: Gate },
): Promise<Refusal | undefined> {
  request.resume(); // A body has no meaning here.
  const refusal = await gate.refusePage(request, page);
  if (refusal) return refusal;
  if (request.method !== "GET" && request.method !== "HEAD")
    return {
      status: 405,
      code: RpcCode.REFUSED,
      message: "Method not allowed.",
      headers: { allow: "GET, HEAD" },
    };
  const { status, type, body } = await page.answer();
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
  response.end(request.method === "HEAD" ? undefined : body);
  return undefined;
}
