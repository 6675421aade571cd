import { join, parse, sep } from "node:path";
import type { Disk } from "../../../core/files/index.ts";
import { errorCode } from "../../../core/index.ts";

/** A path with its links followed. */
export interface LinkedPath {
  /** Without links, as far as they could be followed. Its last parts need not exist. */
  readonly realPath: string;
  /** Why the last parts could not be followed: a folder without permission, a file in the middle … */
  readonly stopped?: unknown;
}

/** As on Linux. */
export const MAX_LINKS = 40;

/** Follows the links of an absolute, normalized path as far as possible. Never rejects: returns where and why it stopped. */
export async function followPath(disk: Disk, path: string): Promise<LinkedPath> {
  try {
    return { realPath: await disk.realpath(path) };
  } catch {
    return walk(disk, path); // Some part is missing or blocked: find out which.
  }
}

async function walk(disk: Disk, path: string): Promise<LinkedPath> {
  let real = parse(path).root;
  let links = 0;
  const parts = partsOf(path);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const here = join(real, part); // Also right for a `..` in a link: `real` has no links.
    const step = part === ".." ? FOUND : await look(disk, here);
    if (step.kind === "missing") return { realPath: join(await spelled(disk, real), part, ...parts) };
    if (step.kind === "stopped")
      return { realPath: join(await spelled(disk, real), part, ...parts), stopped: step.why };
    if (step.kind === "found") {
      real = here;
    } else {
      if (++links > MAX_LINKS) return { realPath: join(here, ...parts), stopped: tooManyLinks() };
      real = parse(step.target).root || real;
      parts.unshift(...partsOf(step.target));
    }
  }
  return { realPath: real };
}

/**
 * The folder as the disk spells it: Windows and macOS ignore case, and Windows has short names such as `PROGRA~1`. A path to a
 * new file must compare equal to that of a folder that was looked up whole.
 */
async function spelled(disk: Disk, folder: string): Promise<string> {
  return disk.realpath(folder).catch(() => folder);
}

type Step =
  | { readonly kind: "found" }
  | { readonly kind: "missing" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "stopped"; readonly why: unknown };

const FOUND: Step = { kind: "found" };

async function look(disk: Disk, path: string): Promise<Step> {
  try {
    const isLink = (await disk.lstat(path)).isSymbolicLink();
    return isLink ? { kind: "link", target: await disk.readlink(path) } : FOUND;
  } catch (thrown) {
    return errorCode(thrown) === "ENOENT" ? { kind: "missing" } : { kind: "stopped", why: thrown };
  }
}

function partsOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== "" && part !== ".");
}

export function tooManyLinks(): Error {
  return Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
}
