import type { ServerResponse } from "node:http";

/** A refusal of a request before it is processed. */
export interface Refusal {
  readonly status: number;
  /** The JSON-RPC code. */
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly headers?: { readonly [name: string]: string };
}

/** Answers with a JSON-RPC error, which every client can read. */
export function refuse(response: ServerResponse, { status, headers, ...error }: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify({ jsonrpc: "2.0", error, id: null });
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}
