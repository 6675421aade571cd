import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerConfig } from "indusagi/interop";
import type { PolicyFlags, ServeProfile, ServerSources } from "../launch/internal.ts";
import { isUrl } from "./sources/is-url.ts";

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
  readonly sources: ServerSources;
  readonly profile: ServeProfile;
  readonly policy: PolicyFlags;
  readonly cwd: string;
}

/** The command line of a gateway over stdio. It is absolute: a desktop application has another folder and PATH. */
export function stdioLaunch({ demo, sources, profile, policy, cwd }: ServedOverStdio): {
  readonly command: string;
  readonly args: readonly string[];
} {
  const indus = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
  const given = [
    ...sources.mcp.flatMap((source) => ["--mcp", isUrl(source) ? source : resolve(source)]),
    ...sources.run.flatMap((text) => ["--run", text]),
    ...(sources.tools ?? []).flatMap((word) => ["--tools", word]),
    ...(sources.noTools ? ["--no-tools"] : []),
    ...(profile === "read-only" ? [] : ["--profile", profile]),
    ...(policy.mode === "default" ? [] : ["--mode", policy.mode]),
    ...policy.allow.flatMap((rule) => ["--allow", rule]),
    ...policy.deny.flatMap((rule) => ["--deny", rule]),
  ];
  const args = [indus, "serve", "--stdio", ...(demo ? ["--demo"] : []), ...given, "--cwd", resolve(cwd)];
  return { command: process.execPath, args };
}
