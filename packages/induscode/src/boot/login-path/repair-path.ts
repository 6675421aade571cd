import { delimiter } from "node:path";
import { loginPath } from "indusagi/core";
import type { PathRepair } from "../../doctor/index.ts";
import { openStateRoot } from "../../state/index.ts";
import { openPathCache, type PathCache } from "./path-cache.ts";

export interface RepairPathOptions {
  readonly signal: AbortSignal;
}

/**
 * Gives this process, and so the programs it starts, the `PATH` of the user's login shell. The shell is asked at most once in
 * a day, unless its files change. Without an answer `PATH` stays as it is. Never rejects.
 */
export async function repairPath({ signal }: RepairPathOptions): Promise<PathRepair> {
  const cache = await openCache();
  const kept = cache?.read();
  const found = kept ?? (await loginPath({ signal }).catch(() => undefined));
  if (found === undefined) return { kind: "failed" };
  if (kept === undefined) cache?.write(found);
  const before = new Set((process.env["PATH"] ?? "").split(delimiter));
  process.env["PATH"] = found;
  return { kind: "repaired", added: found.split(delimiter).filter((folder) => !before.has(folder)) };
}

/** What the shell answers does not depend on the workspace. */
async function openCache(): Promise<PathCache | undefined> {
  try {
    return openPathCache(await openStateRoot(), { env: process.env });
  } catch {
    return undefined; // There is no folder for state: the shell is asked in every run.
  }
}
