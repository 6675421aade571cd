import type { LaunchAsWritten } from "indusagi/config";
import type { ServerConfig } from "indusagi/interop";

/** The launch of a server with its values, as if they were written. */
export function launchOf(config: ServerConfig): LaunchAsWritten {
  if (config.kind !== "stdio") {
    const { url, headers } = config;
    return { url, ...(headers && { headers }) };
  }
  const { command, args, cwd, env } = config;
  return { command, ...(args && { args }), ...(cwd !== undefined && { cwd }), ...(env && { env }) };
}
