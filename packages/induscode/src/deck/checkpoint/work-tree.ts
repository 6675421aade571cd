import { closeSync, constants, type Dirent, fstatSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { FolderError } from "./checkpoint-error.ts";
import { type IgnoreRules, parseIgnoreRules } from "./ignore-rules.ts";
import { foldersAbove } from "./rewind/plan-rewind.ts";

/** The rules of one folder, and those of the folders above it, which have lower priority. */
export interface RuleLevel {
  readonly rules: IgnoreRules;
  readonly folder: string;
  readonly above: RuleLevel | undefined;
}

export function isIgnoredBy(level: RuleLevel | undefined, path: string, isDirectory: boolean): boolean {
  for (let at = level; at; at = at.above) {
    const verdict = at.rules(path.slice(at.folder.length + 1).replaceAll(sep, "/"), isDirectory);
    if (verdict !== undefined) return verdict;
  }
  return false;
}

export function nearestRules(
  rules: ReadonlyMap<string, RuleLevel | undefined>,
  path: string,
): RuleLevel | undefined {
  let folder = dirname(path);
  while (!rules.has(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return rules.get(folder);
}

/** What the rules of one reading may still cost: a parsed line takes a hundred times its size in memory. */
export interface RuleBudget {
  rules: number;
  bytes: number;
  /** If false, rules over the limit hide nothing: commands may have written them. */
  readonly isStrict: boolean;
}

const MAX_RULES = 100_000;

export function newRuleBudget(isStrict: boolean): RuleBudget {
  return { rules: MAX_RULES, bytes: MAX_RULES_BYTES * 4, isStrict };
}

export function withRules(
  above: RuleLevel | undefined,
  folder: string,
  file: string,
  budget: RuleBudget,
): RuleLevel | undefined {
  const text = smallText(file);
  if (text === undefined) return above;
  budget.bytes -= text.length;
  budget.rules -= 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) budget.rules -= 1;
  if (budget.bytes >= 0 && budget.rules >= 0)
    return { rules: parseIgnoreRules(text), folder: folder.replace(/[/\\]$/, ""), above };
  if (!budget.isStrict) return above;
  throw new FolderError(
    `its .gitignore files have more than ${MAX_RULES} lines or ${(MAX_RULES_BYTES * 4) / 1024 ** 2} MiB`,
  );
}

/** As in a Python virtual environment. Such a folder is left alone as a whole. */
export function ignoresAll(
  level: RuleLevel | undefined,
  named: ReadonlyMap<string, Dirent<Buffer>>,
): boolean {
  const ignores = (name: string, isDirectory: boolean): boolean => level?.rules(name, isDirectory) === true;
  return (
    ignores(".gitignore", false) &&
    // Rules for just the existing names are not enough.
    [ANY_NAME, `.${ANY_NAME}`].every((name) => ignores(name, false) && ignores(name, true)) &&
    [...named].every(([name, entry]) => ignores(name, entry.isDirectory()))
  );
}

const ANY_NAME = "\u0001 any name";

/** The same test that git uses. */
export const looksLikeGit = (named: ReadonlyMap<string, unknown>): boolean =>
  ["HEAD", "objects", "refs"].every((name) => named.has(name));

const MAX_RULES_BYTES = 1024 * 1024;

function smallText(path: string): string | undefined {
  return readPlainFile(path, MAX_RULES_BYTES)?.toString("utf8");
}

/** Like git, does not follow links. Undefined if there is no such file, or it is larger. */
export function readPlainFile(path: string, maxBytes: number): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The rules from the folders above a root, up to the top of its work tree. */
export function rulesAbove(root: string, top: string | undefined, budget: RuleBudget): RuleLevel | undefined {
  if (top === undefined) return undefined; // A command removed it meanwhile.
  let level = repositoryRules(top, join(top, ".git"), budget);
  for (const folder of foldersAbove(root, [top]).toReversed())
    level = withRules(level, folder, join(folder, ".gitignore"), budget);
  return level;
}

/** The rules that are not in `.gitignore` files: the user's, and the repository's `info/exclude`. */
export function repositoryRules(folder: string, git: string, budget: RuleBudget): RuleLevel | undefined {
  const config = process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  const users = withRules(undefined, folder, join(config, "git", "ignore"), budget);
  const own = gitFolder(folder, git);
  const common = own === git ? undefined : smallText(join(own, "commondir"))?.trim();
  const exclude = join(common === undefined ? own : resolve(own, common), "info", "exclude");
  return withRules(users, folder, exclude, budget);
}

/** In a submodule or linked work tree, `.git` is a file that names the folder. */
export function gitFolder(folder: string, git: string): string {
  const named = /^gitdir: (.+)$/m.exec(smallText(git) ?? "")?.[1];
  return named === undefined ? git : resolve(folder, named);
}
