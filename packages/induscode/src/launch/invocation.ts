import type { GivenArgument } from "./given-arguments.ts";

/** How `indus serve` is reached: by the process that started it, or by HTTP. */
export type ServeTransport =
  | { readonly kind: "stdio" }
  | {
      readonly kind: "http";
      /** Absent: the usual one, or any free one where that is taken. */
      readonly port?: number;
      readonly host?: string;
      /** The environment variable that holds the token. Never the token: the command line is for all to see. */
      readonly tokenEnv?: string;
    };

export interface ServeRequest {
  readonly way: ServeTransport;
  /** Configuration files. Naming one by hand is approving it. */
  readonly mcp: readonly string[];
  /** Serve the example servers as well, and say how clients connect. */
  readonly demo: boolean;
  /** The folder the native tools work in. */
  readonly cwd?: string;
}

export interface ServerToolRequest {
  readonly tool: string;
  readonly given: readonly GivenArgument[];
  readonly mcp: readonly string[];
  readonly json: boolean;
  readonly timeoutMs?: number;
}

/** What the command line asks for. */
export type Invocation =
  | { readonly command: "help" }
  | { readonly command: "version" }
  | { readonly command: "tools"; readonly json: boolean }
  | { readonly command: "call"; readonly tool: string; readonly input: { readonly [name: string]: unknown } }
  | { readonly command: "mcp list"; readonly mcp: readonly string[]; readonly json: boolean }
  | ({ readonly command: "mcp call" } & ServerToolRequest)
  | ({ readonly command: "serve" } & ServeRequest)
  | { readonly command: "usage"; readonly problem: string };
