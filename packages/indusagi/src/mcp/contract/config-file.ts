/** One server as a configuration file names it. `url` beats `command`. */
export interface MCPServerConfigEntry {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  /** Pins the transport of a server behind HTTP. */
  readonly type?: "stdio" | "streamable-http" | "http" | "sse";
  /** Milliseconds. */
  readonly timeout?: number;
  /** False keeps the row in the file and the server unconnected. */
  readonly enabled?: boolean;
}

/** A configuration file: its rows as a list, or by name. */
export interface MCPConfigFile {
  readonly servers:
    | readonly MCPServerConfigEntry[]
    | { readonly [name: string]: Omit<MCPServerConfigEntry, "name"> };
}
