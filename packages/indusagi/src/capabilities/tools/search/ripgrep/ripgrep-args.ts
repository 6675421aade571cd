import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { LinePattern } from "../pattern/line-pattern.ts";
import type { SearchLimits, SearchRoot } from "../search-job.ts";

export interface RipgrepQuery {
  readonly pattern: LinePattern;
  readonly root: SearchRoot;
  readonly limits: SearchLimits;
}

const OUTPUT = [
  "--color=never",
  "--no-heading",
  "--with-filename",
  "--line-number",
  "--null",
  "--path-separator=/",
];

/** Include hidden files; use `.gitignore` files and no other rules; ignore the user's settings. */
const SCOPE = [
  "--no-config",
  "--hidden",
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  "--no-ignore-parent",
  "--no-ignore-messages",
  "--glob=!.git",
  "--glob=!node_modules",
];

/** `--text`, because our own rule decides which files are binary. */
const READING = ["--text", "--crlf", "--no-mmap"];

/** The arguments that make ripgrep, started in `root.rulesFrom`, search what our own engine searches. */
export function ripgrepArgs({ pattern, root, limits }: RipgrepQuery): string[] {
  return [
    ...OUTPUT,
    ...SCOPE,
    ...READING,
    // Only the debug output names the files that are too large.
    "--debug",
    `--max-filesize=${limits.fileBytes}`,
    `--max-columns=${limits.lineBytes}`,
    "--max-columns-preview",
    ...rulesAbove(root),
    ...(pattern.isLiteral ? ["--fixed-strings"] : []),
    pattern.ignoresCase ? "--ignore-case" : "--case-sensitive",
    ...(pattern.wholeWords ? ["--word-regexp"] : []),
    `--regexp=${pattern.text}`,
    "--",
    pathArgument(root),
  ];
}

/** The root as an argument of ripgrep, and as the start of every path in its output. */
export function pathArgument(root: SearchRoot): string {
  return `./${relative(root.rulesFrom, root.path).replaceAll(sep, "/")}`;
}

/**
 * Whether a folder between `rulesFrom` and the root has rules. Ripgrep can use those of `rulesFrom`, where it is
 * started, but of no other folder above the root.
 */
export function hasRulesBetween(root: SearchRoot): boolean {
  if (root.isFile || root.path === root.rulesFrom) return false;
  for (let folder = dirname(root.path); folder !== root.rulesFrom; folder = dirname(folder)) {
    if (existsSync(join(folder, ".gitignore"))) return true;
  }
  return false;
}

function rulesAbove(root: SearchRoot): string[] {
  const rules = join(root.rulesFrom, ".gitignore");
  const apply = !root.isFile && root.path !== root.rulesFrom && existsSync(rules);
  return apply ? [`--ignore-file=${rules}`] : [];
}
