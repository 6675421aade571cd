import { fileURLToPath } from "node:url";
import type { ServerConfig } from "indusagi/interop";

/** The example servers of this package. The last one is broken, to show that the others still work. */
export function demoServers(): readonly ServerConfig[] {
  return ["notes", "units", "broken"].map((id) => ({
    kind: "stdio",
    id,
    command: process.execPath,
    args: [fileURLToPath(new URL(`../../demo/${id}.mjs`, import.meta.url))],
  }));
}
