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

/**
 * The hash that an approval of a row is bound to: its launch, the names that its `envFile` sets, and every other member that is
 * not harmless. For a row without such names and members it equals the launch hash, which older approvals are bound to.
 */
export function approvalHash(launch: LaunchAsWritten): string {
  const { envFileNames, members } = launch;
  const launched = launchHash(launch);
  return envFileNames || members ? contentHash({ launch: launched, envFileNames, members }) : launched;
}

/** A hash of each part that an approval is bound to, by name. Shows which part of a row changed without revealing values. */
export function approvalParts(launch: LaunchAsWritten): { readonly [part: string]: string } {
  const { members = {}, envFiles, envFileNames, ...launched } = launch;
  const parts: { readonly [part: string]: unknown } = {
    ...members,
    ...launched,
    envFile: envFiles,
    "the names in envFile": envFileNames,
  };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([part, value]) => [part, contentHash([part, value])]));
}
