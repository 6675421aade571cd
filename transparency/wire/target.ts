import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** What a client connects to. */
export type Target = StdioTarget | { readonly kind: "http" | "sse"; readonly url: string };

export interface StdioTarget {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

export type TransportKind = Target["kind"];

const STDERR_CHARS = 2_000;

export interface OpenTransport {
  readonly transport: Transport;
  /** The last lines that a process wrote to its standard error. */
  lastWords(): string;
}

/** The transports of the official SDK: they do what every client does, and show each message as it arrived. */
export function transportTo(target: Target): OpenTransport {
  if (target.kind !== "stdio") {
    const Remote = target.kind === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
    return { transport: new Remote(new URL(target.url)), lastWords: () => "" };
  }
  const { command, args, env, cwd } = target;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    stderr: "pipe",
    maxBufferSize: 256 * 1024 * 1024,
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
  });
  let words = "";
  transport.stderr?.on("data", (chunk: Buffer) => (words = (words + chunk.toString()).slice(-STDERR_CHARS)));
  return { transport, lastWords: () => words.trim().split("\n").slice(-3).join(" / ") };
}
