import { join } from "node:path";
import { type Clock, errorCode, replaceFileSync, systemClock } from "indusagi/core";

/** The folder of plans in a session's folder. */
export const PLANS_DIRNAME = "plans";

const MAX_SLUG_CHARS = 48;
const FALLBACK = "plan";

/** A file name from the first line with text: at most 48 characters of a–z, 0–9 and `-`. */
export function planSlug(plan: string): string {
  const line = plan.split(/[\r\n]+/).find((text) => text.trim() !== "") ?? "";
  return trimDashes(fileSafe(line).slice(0, MAX_SLUG_CHARS)) || FALLBACK;
}

/** `<session folder>/plans/<slug>.md`. Characters that could leave the folder are replaced. */
export function planFilePath(sessionDir: string, slug: string): string {
  return join(sessionDir, PLANS_DIRNAME, `${fileSafe(slug) || FALLBACK}.md`);
}

/**
 * Writes a plan to a new file `<time>-<slug>.md` and returns its path. The time is in milliseconds, in base 36. If the name
 * is taken it tries the next millisecond, so no plan replaces another.
 */
export function writePlan(sessionDir: string, plan: string, clock: Clock = systemClock): string {
  const { mkdirSync } = process.getBuiltinModule("node:fs");
  mkdirSync(join(sessionDir, PLANS_DIRNAME), { recursive: true, mode: 0o700 });
  const slug = planSlug(plan);
  const content = Buffer.from(plan);
  for (let stamp = clock.nowMs(); ; stamp += 1) {
    const path = planFilePath(sessionDir, `${stamp.toString(36)}-${slug}`);
    try {
      replaceFileSync({ path, content, mode: 0o600, onlyNew: true });
      return path;
    } catch (thrown) {
      if (errorCode(thrown) !== "EEXIST") throw thrown;
    }
  }
}

/** The text of a plan; `undefined` if the file is missing or cannot be read. */
export function readPlan(path: string): string | undefined {
  const { readFileSync, statSync } = process.getBuiltinModule("node:fs");
  try {
    // Reading a pipe would block the whole program.
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function fileSafe(text: string): string {
  return trimDashes(text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"));
}

function trimDashes(text: string): string {
  return text.replaceAll(/^-+|-+$/g, "");
}
