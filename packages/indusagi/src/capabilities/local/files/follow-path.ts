import { join, parse, sep } from "node:path";
import { errorCode } from "../../../core/index.ts";
import type { Disk } from "./disk.ts";

/** Where a path leads. */
export interface Way {
  /** With links followed as far as they can be. Its last parts, or a link's target, need not exist. */
  readonly realPath: string;
  /** Why the last parts could not be followed: a folder that may not be entered, a file in the middle … */
  readonly stopped?: unknown;
}

const MAX_LINKS = 40;

/** Follows an absolute, normal path as far as it leads. Never fails: it tells where it had to stop, and why. */
export async function followPath(disk: Disk, path: string): Promise<Way> {
  try {
    return { realPath: await disk.realpath(path) };
  } catch {
    return walk(disk, path); // Something is missing or in the way: find out where.
  }
}

async function walk(disk: Disk, path: string): Promise<Way> {
  let real = parse(path).root;
  let links = 0;
  const parts = partsOf(path);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const here = join(real, part); // Also right for `..`, which a link may say: what is real has no links left.
    const step = part === ".." ? IS_THERE : await look(disk, here);
    if (step.kind === "missing") return { realPath: join(here, ...parts) };
    if (step.kind === "stopped") return { realPath: join(here, ...parts), stopped: step.why };
    if (step.kind === "there") {
      real = here;
    } else {
      if (++links > MAX_LINKS) return { realPath: join(here, ...parts), stopped: tooManyLinks() };
      real = parse(step.target).root || real;
      parts.unshift(...partsOf(step.target));
    }
  }
  return { realPath: real };
}

type Step =
  | { readonly kind: "there" }
  | { readonly kind: "missing" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "stopped"; readonly why: unknown };

const IS_THERE: Step = { kind: "there" };

async function look(disk: Disk, path: string): Promise<Step> {
  try {
    const isLink = (await disk.lstat(path)).isSymbolicLink();
    return isLink ? { kind: "link", target: await disk.readlink(path) } : IS_THERE;
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

function tooManyLinks(): Error {
  return Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
}
