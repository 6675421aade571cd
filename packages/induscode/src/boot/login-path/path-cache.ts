import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { contentHash, type Environment, readPrivateText, replaceFileSync } from "indusagi/core";

/** After this time the shell is asked again. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const FORMAT = 1;

/** Files in which users set `PATH`. A change of one makes the kept value old. */
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

/** The `PATH` of the login shell that an earlier run found out. */
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
  const file = join(stateFolder, "login-path.json");
  const basis = basisOf(env);
  return {
    read: () => {
      const reading = readPrivateText(file);
      // Somebody else may have written it, and programs are found by it.
      if ("problem" in reading) return undefined;
      const kept = parsed(reading.text);
      const ageMs = nowMs - kept.atMs;
      return kept.basis === basis && ageMs >= 0 && ageMs < MAX_AGE_MS ? kept.path : undefined;
    },
    write: (path) => {
      try {
        const content = Buffer.from(`${JSON.stringify({ format: FORMAT, basis, atMs: nowMs, path })}\n`);
        replaceFileSync({ path: file, content, mode: 0o600, canLose: true });
      } catch {
        // See above.
      }
    },
  };
}

function parsed(text: string): { readonly basis?: string; readonly atMs: number; readonly path?: string } {
  try {
    const { format, basis, atMs, path } = JSON.parse(text) as { readonly [member: string]: unknown };
    if (
      format === FORMAT &&
      typeof basis === "string" &&
      typeof atMs === "number" &&
      typeof path === "string"
    )
      return { basis, atMs, path };
  } catch {
    // Damaged: the shell is asked again.
  }
  return { atMs: 0 };
}

/** Everything that the answer of the shell depends on, as a hash. */
function basisOf(env: Environment): string {
  const home = env["HOME"] || homedir();
  const stamps = SHELL_FILES.map((name) => {
    const found = statSync(join(home, name), { throwIfNoEntry: false });
    return found ? [found.mtimeMs, found.size] : null;
  });
  return contentHash({ shell: env["SHELL"] ?? null, path: env["PATH"] ?? null, home, stamps });
}
