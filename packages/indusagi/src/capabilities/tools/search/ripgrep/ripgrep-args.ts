import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { LinePattern } from "../pattern/line-pattern.ts";
import type { SearchLimits, SearchRoot } from "../search-job.ts";

export interface RipgrepOrder {
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

/** Hidden files too; `.gitignore` files and no other source of rules; no settings of the user. */
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

/** `--text`: binary files are told by our own rule, once they have a hit. */
const READING = ["--text", "--crlf", "--no-mmap"];

/** The arguments that make ripgrep, started in `root.rulesFrom`, search what our own engine searches. */
export function ripgrepArgs({ pattern, root, limits }: RipgrepOrder): string[] {
  return [
    ...OUTPUT,
    ...SCOPE,
    ...READING,
    // The only place where ripgrep says which files it found too large.
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

/** The root as ripgrep is told it, and as it begins every path it tells. */
export function pathArgument(root: SearchRoot): string {
  return `./${relative(root.rulesFrom, root.path).replaceAll(sep, "/")}`;
}

/**
 * Whether a folder strictly between the two has rules. Ripgrep can be given the rules of the folder it is started in,
 * but of no other one above the root.
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
