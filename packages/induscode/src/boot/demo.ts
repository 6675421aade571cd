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

/** The command line of a demonstration over stdio. It is absolute: a desktop application has another folder and PATH. */
export function demoLaunch(): { readonly command: string; readonly args: readonly string[] } {
  const indus = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
  return { command: process.execPath, args: [indus, "serve", "--stdio", "--demo", "--cwd", process.cwd()] };
}
