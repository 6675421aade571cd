import type { TextMatcher } from "../pattern/linear-matcher.ts";
import type { ByteText } from "../search-job.ts";

interface Rule {
  readonly matches: TextMatcher;
  /** It is tested against the name, not the path. */
  readonly isForNames: boolean;
  readonly isNegated: boolean;
  readonly onlyFolders: boolean;
}

/** The rules of one `.gitignore` file. */
export interface Ruleset {
  readonly rules: readonly Rule[];
  /** These match if any rule matches, so most names need only one test. */
  readonly anyName: TextMatcher | undefined;
  readonly anyPath: TextMatcher | undefined;
}

export interface GitignoreReader {
  parse(text: ByteText): Ruleset | undefined;
  /** For a path relative to the file's folder: true = ignored, false = explicitly not ignored, undefined = no rule. */
  verdict(ruleset: Ruleset, path: ByteText, isFolder: boolean): boolean | undefined;
}

/**
 * Reads `.gitignore` files exactly as ripgrep does, including `{a,b}`, which git itself takes literally.
 * `linearMatcher` is for globs that could make RegExp backtrack forever.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function gitignoreRules(linearMatcher: (pieces: readonly string[]) => TextMatcher): GitignoreReader {
  const ANY_NAME = "[^/]*";
  const ANY_FOLDERS_FIRST = "(?:|/|.*/)";
  const ANY_FOLDERS_BETWEEN = "(?:/|/.*/)";
  const ANYTHING_BELOW = "/.*";
  const FOLDERS = [ANY_FOLDERS_FIRST, ANY_FOLDERS_BETWEEN, ANYTHING_BELOW];
  /** Parts that make RegExp backtrack; three of them in one glob are too slow. */
  const LOOSE = [ANY_NAME, "(?:", ...FOLDERS];
  const MAX_LOOSE = 2;

  function parse(text: ByteText): Ruleset | undefined {
    const rules: Rule[] = [];
    for (const line of text.replace(/^\xef\xbb\xbf/, "").split("\n")) {
      const rule = parseLine(line.replace(/\r$/, ""));
      if (rule) rules.push(rule);
    }
    if (rules.length === 0) return undefined;
    const [forNames, forPaths] = [
      rules.filter((rule) => rule.isForNames),
      rules.filter((rule) => !rule.isForNames),
    ];
    return { rules, anyName: anyOf(forNames), anyPath: anyOf(forPaths) };
  }

  function anyOf(rules: readonly Rule[]): TextMatcher | undefined {
    if (rules.length === 0) return undefined;
    const matchers = rules.map((rule) => rule.matches);
    const sources = matchers.flatMap((matches) => (matches instanceof RegExp ? [matches.source] : []));
    const linear = matchers.filter((matches) => !(matches instanceof RegExp));
    const expression = new RegExp(sources.length > 0 ? sources.join("|") : "(?!)", "s");
    if (linear.length === 0) return expression;
    return { test: (text) => expression.test(text) || linear.some((matches) => matches.test(text)) };
  }

  function verdict(ruleset: Ruleset, path: ByteText, isFolder: boolean): boolean | undefined {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (!ruleset.anyName?.test(name) && !ruleset.anyPath?.test(path)) return undefined;
    // The last rule that matches decides.
    for (let at = ruleset.rules.length - 1; at >= 0; at--) {
      const rule = ruleset.rules[at];
      if (rule && (isFolder || !rule.onlyFolders) && rule.matches.test(rule.isForNames ? name : path))
        return !rule.isNegated;
    }
    return undefined;
  }

  function parseLine(line: string): Rule | undefined {
    if (line.startsWith("#")) return undefined;
    let glob = line.endsWith("\\ ") ? line : line.replace(/[ \t\v\f\r]+$/, "");
    if (glob === "") return undefined;
    let isNegated = false;
    if (/^\\[!#]/.test(glob)) glob = glob.slice(1);
    else if (glob.startsWith("!")) [glob, isNegated] = [glob.slice(1), true];

    const startsHere = glob.startsWith("/");
    if (startsHere) glob = glob.slice(1);
    const onlyFolders = glob.endsWith("/");
    if (onlyFolders) glob = glob.slice(0, -1).replace(/\\$/, "");
    const isName = !startsHere && !glob.includes("/");
    // In ripgrep, a bracket expression may also match a slash.
    const isForNames = isName && glob !== "" && glob !== "**" && !glob.includes("[");
    if (isName && !isForNames && glob !== "**") glob = `**/${glob}`;
    if (glob.endsWith("/**")) glob = `${glob}/*`;

    const parts = globParts(glob);
    if (parts === undefined) return undefined;
    try {
      return { matches: matcherOf(parts), isForNames, isNegated, onlyFolders };
    } catch {
      // A range from high to low.
      return undefined;
    }
  }

  function matcherOf(parts: readonly string[]): TextMatcher {
    const isLoose = parts.filter((part) => LOOSE.includes(part)).length > MAX_LOOSE;
    if (!isLoose) return new RegExp(`^${parts.join("")}$`, "s");
    return linearMatcher(
      parts.flatMap((part) => (FOLDERS.includes(part) ? (part.match(/\(\?:|\.\*|[|)/]/g) ?? []) : [part])),
    );
  }

  /** A glob as the parts of an expression; undefined if it is malformed, and then the line is ignored. */
  function globParts(glob: string): string[] | undefined {
    const parts: string[] = [];
    let depth = 0;
    let at = 0;
    while (at < glob.length) {
      const char = glob.charAt(at);
      if (char === "*") at = pushStars(glob, at, parts);
      else if (char === "[") at = pushClass(glob, at, parts);
      else if (char === "\\") {
        if (at + 1 === glob.length) return undefined;
        parts.push(literal(glob.charAt(at + 1)));
        at += 2;
      } else {
        depth += char === "{" ? 1 : char === "}" ? -1 : 0;
        if (depth < 0) return undefined;
        parts.push(plain(char, depth));
        at += 1;
      }
    }
    if (depth > 0) return undefined;
    return parts.length === 1 && parts[0] === ANY_FOLDERS_FIRST ? [".*"] : parts;
  }

  function plain(char: string, depth: number): string {
    if (char === "?") return "[^/]";
    if (char === "{") return "(?:";
    if (char === "}") return ")";
    return char === "," && depth > 0 ? "|" : literal(char);
  }

  function literal(char: string): string {
    return char.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
  }

  /** Two stars match folders only if they are a whole part of the path. */
  function pushStars(glob: string, at: number, parts: string[]): number {
    const isDouble = glob.charAt(at + 1) === "*";
    const next = glob.charAt(at + 2);
    const isWhole = isDouble && (at === 0 || glob.charAt(at - 1) === "/") && (next === "" || next === "/");
    if (!isWhole) {
      if (parts.at(-1) !== ANY_NAME) parts.push(ANY_NAME);
      return at + (isDouble ? 2 : 1);
    }
    const before = parts.pop();
    if (before === undefined || before === ANY_FOLDERS_FIRST) parts.push(ANY_FOLDERS_FIRST);
    else parts.push(next === "" ? ANYTHING_BELOW : ANY_FOLDERS_BETWEEN);
    return at + 3;
  }

  /** `[a-z]`, `[!a]`; a bracket that is not closed is a literal. */
  function pushClass(glob: string, at: number, parts: string[]): number {
    const found = /^\[([!^]?)(\]?[^\]]*)\]/s.exec(glob.slice(at));
    const [whole, negation, members] = found ?? [];
    if (whole === undefined || members === undefined || members === "") {
      parts.push("\\[");
      return at + 1;
    }
    parts.push(`[${negation ? "^" : ""}${members.replace(/[\\\][^]/g, "\\$&")}]`);
    return at + whole.length;
  }

  return { parse, verdict };
}
