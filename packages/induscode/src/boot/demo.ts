import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerConfig } from "indusagi/interop";

/** The example servers of this package. The last one is broken, to show that the others work all the same. */
export function demoServers(): readonly ServerConfig[] {
  return ["notes", "units", "broken"].map((id) => ({
    kind: "stdio",
    id,
    command: process.execPath,
    args: [fileURLToPath(new URL(`../../demo/${id}.mjs`, import.meta.url))],
  }));
}

/** What a gateway over stdio serves. */
export interface ServedOverStdio {
  readonly demo: boolean;
  /** Configuration files. */
  readonly mcp: readonly string[];
  /** Default: the current folder. */
  readonly cwd?: string | undefined;
}

/** The command line of a gateway over stdio. It is absolute: a desktop application has another folder and PATH. */
export function stdioLaunch({ demo, mcp, cwd = "." }: ServedOverStdio): {
  readonly command: string;
  readonly args: readonly string[];
} {
  const indus = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
  const files = mcp.flatMap((file) => ["--mcp", resolve(file)]);
  const args = [indus, "serve", "--stdio", ...(demo ? ["--demo"] : []), ...files, "--cwd", resolve(cwd)];
  return { command: process.execPath, args };
}
