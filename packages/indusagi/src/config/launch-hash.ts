import { contentHash } from "../core/index.ts";
import type { LaunchAsWritten } from "./contract.ts";

/**
 * The identity of a launch: what a row starts or connects to, with every `${…}` as written. It is a hash, so it reveals
 * nothing, and it does not change when a token in the environment does. Other members of a row, such as its time limits,
 * do not count, except a `pin` that is weaker than usual.
 */
export function launchHash(launch: LaunchAsWritten): string {
  const { command, args, cwd, env, envFiles, url, headers, fromCommand, oauth, pin } = launch;
  return contentHash({
    command,
    args: args ?? [],
    cwd,
    env: env ?? {},
    envFiles,
    url,
    headers: headers ?? {},
    fromCommand,
    oauth,
    pin,
  });
}
