import { delimiter } from "node:path";
import { type Environment, lacksLoginPath, loginPath } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { PathRepair } from "../doctor/index.ts";
import type { PathCache } from "./path-cache.ts";

/**
 * After a start from a desktop, gives this process and the programs it starts the `PATH` of the user's login shell, once per
 * run. The shell is asked at most once a day unless its files change. Without an answer `PATH` stays as it is. Undefined if
 * nothing is missing. Never rejects.
 */
export function repairPath({
  env,
  signal,
  notes,
  attachment,
}: Pick<Run, "env" | "signal" | "notes" | "attachment">): Promise<PathRepair> | undefined {
  // Programs inherit the environment of this process, or that of a client elsewhere, not any other that a caller gives to the run.
  const isInherited = env === process.env || env === attachment?.env;
  if (isInherited && lacksLoginPath(env)) notes.pathRepair ??= repaired(env, signal);
  return notes.pathRepair;
}

async function repaired(env: Environment, signal: AbortSignal): Promise<PathRepair> {
  const cache = await openCache(env);
  const kept = cache?.read();
  const found = kept ?? (await loginPath({ env, signal }).catch(() => undefined));
  if (found === undefined) return { kind: "failed" };
  if (kept === undefined) cache?.write(found);
  const before = new Set((env["PATH"] ?? "").split(delimiter));
  Object.assign(env, { PATH: found });
  return { kind: "repaired", added: found.split(delimiter).filter((folder) => !before.has(folder)) };
}

/** Shared by all workspaces: the shell's answer does not depend on them. */
async function openCache(env: Environment): Promise<PathCache | undefined> {
  try {
    const [{ openStateRoot }, { openPathCache }] = await Promise.all([
      import("../../state/index.ts"),
      import("./path-cache.ts"),
    ]);
    return openPathCache(await openStateRoot(env), { env });
  } catch {
    return undefined; // Without a state folder, every run asks the shell.
  }
}
