/** One server of a configuration file. If there are both a `url` and a `command`, the `url` is used. */
export interface MCPServerConfigEntry {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  /** The only transport to try for a server behind HTTP. */
  readonly type?: "stdio" | "streamable-http" | "http" | "sse";
  /** Milliseconds. */
  readonly timeout?: number;
  /** With false the server is not connected. */
  readonly enabled?: boolean;
}

/** A configuration file, with the servers as a list or by name. */
export interface MCPConfigFile {
  readonly servers:
    | readonly MCPServerConfigEntry[]
    | { readonly [name: string]: Omit<MCPServerConfigEntry, "name"> };
}
