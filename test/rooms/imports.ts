import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** One import. Paths are relative to the package's source folder; a library has its name. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly fromRoom: string;
}

const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s[^"';]*?from\s*["']([^"']+)["']|^\s*import\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;

/** All TypeScript files below a folder. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((entry) => entry.endsWith(".ts"))
    .map((entry) => join(folder, entry));
}

/** The room that a file of the source folder belongs to. */
export function roomOf(file: string, rooms: readonly string[]): string {
  const path = file.split(sep).join("/");
  const known = [...rooms]
    .sort((a, b) => b.length - a.length)
    .find((room) => path === room || path.startsWith(`${room}/`));
  return known ?? path.split("/")[0] ?? path;
}

/** Groups of files that import each other in a circle. Type-only and dynamic imports count. */
export function cyclesIn(edges: readonly Edge[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const next = [...(targets.get(start) ?? [])];
    for (let file = next.pop(); file !== undefined; file = next.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      next.push(...(targets.get(file) ?? []));
    }
    return seen;
  };
  const reach = new Map([...targets.keys()].map((file) => [file, reachable(file)]));
  const inCycle = [...reach].filter(([file, seen]) => seen.has(file)).map(([file]) => file);
  return inCycle.map((file) => inCycle.filter((other) => reach.get(file)?.has(other)));
}

/** All imports in a package, with the rooms they start from. */
export function edgesOf(packageFolder: string, rooms: readonly string[]): Edge[] {
  const src = join(root, packageFolder, "src");
  return sourceFiles(src).flatMap((file) => {
    const from = relative(src, file);
    const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return [...text.matchAll(IMPORT)].map((match) => {
      const target = match[1] ?? match[2] ?? match[3] ?? "";
      const to = target.startsWith(".") ? relative(src, normalize(join(dirname(file), target))) : target;
      return { from, to, fromRoom: roomOf(from, rooms) };
    });
  });
}
