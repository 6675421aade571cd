import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { contentHash, type Environment } from "indusagi/core";
import { openJsonFile, valueOrNothing, versionedJson } from "../../state/index.ts";

/** After this time the shell is asked again. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Files in which users set `PATH`. A change of one invalidates the cache. */
const SHELL_FILES = [
  ".profile",
  ".bash_profile",
  ".bash_login",
  ".bashrc",
  ".zshenv",
  ".zprofile",
  ".zshrc",
  ".config/fish/config.fish",
];

/** The `PATH` of the login shell, from an earlier run. */
export interface PathCache {
  /** Undefined if there is none, it is too old, or the shell or its files have changed. Never throws. */
  read(): string | undefined;
  /** Never throws: without it the next run asks the shell. */
  write(path: string): void;
}

export function openPathCache(
  stateFolder: string,
  { env, nowMs = Date.now() }: { readonly env: Environment; readonly nowMs?: number },
): PathCache {
  const file = openJsonFile(join(stateFolder, "login-path.json"), KEPT_PATH);
  const basis = basisOf(env);
  return {
    read: () => {
      // Not if others could have written it: programs are looked up in it.
      const kept = valueOrNothing(file.read());
      if (kept?.basis !== basis) return undefined;
      const ageMs = nowMs - kept.atMs;
      return ageMs >= 0 && ageMs < MAX_AGE_MS ? kept.path : undefined;
    },
    write: (path) => {
      try {
        file.write({ basis, atMs: nowMs, path });
      } catch {
        // See above.
      }
    },
  };
}

interface KeptPath {
  readonly basis: string;
  readonly atMs: number;
  readonly path: string;
}

const KEPT_PATH = versionedJson<KeptPath>({
  format: 1,
  parse: ({ basis, atMs, path }) => {
    if (typeof basis !== "string" || typeof atMs !== "number" || typeof path !== "string") return undefined;
    return { basis, atMs, path };
  },
  members: (kept) => kept,
  canLose: true,
});

/** A hash of everything that the shell's answer depends on. */
function basisOf(env: Environment): string {
  const home = env["HOME"] || homedir();
  const stamps = SHELL_FILES.map((name) => {
    const found = statSync(join(home, name), { throwIfNoEntry: false });
    return found ? [found.mtimeMs, found.size] : null;
  });
  return contentHash({ shell: env["SHELL"] ?? null, path: env["PATH"] ?? null, home, stamps });
}
