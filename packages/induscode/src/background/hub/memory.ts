import { readdirSync, readFileSync } from "node:fs";

/**
 * What processes and their descendants take, in bytes: memory that several share is counted once, in parts. Undefined where the
 * system does not say: only Linux does.
 */
export function memoryOf(roots: readonly number[]): number | undefined {
  const children = process.platform === "linux" ? childrenByParent() : undefined;
  if (!children) return undefined;
  const found = new Set(roots);
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found].reduce((sum, pid) => sum + ownMemory(pid), 0);
}

function childrenByParent(): ReadonlyMap<number, readonly number[]> | undefined {
  const children = new Map<number, number[]>();
  try {
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      const parent = parentOf(name);
      if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    }
    return children;
  } catch {
    return undefined;
  }
}

/** Undefined: the process has ended. */
function parentOf(pid: string): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name before it may contain anything, but no later bracket.
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function ownMemory(pid: number): number {
  try {
    const [, kilobytes] =
      /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1")) ?? [];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    return 0; // It has ended, or belongs to another user.
  }
}
