/** Whether a path is ignored. Undefined: no rule matches. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean | undefined;

/**
 * Parses a `.gitignore` file as git does: gitignore(5). Paths are relative to the folder of the file, with slashes. Matching
 * time is proportional to pattern times path, for any pattern.
 */
export function parseIgnoreRules(text: string): IgnoreRules {
  const rules = bytesOf(text.replace(/^\uFEFF/, ""))
    .split("\n")
    .flatMap((line) => parseLine(line) ?? []);
  return (whole, isFolder) => {
    const path = bytesOf(whole);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const parts = path.split("/");
    const rule = rules.findLast(
      ({ onlyFolders, pattern }) =>
        (isFolder || !onlyFolders) &&
        ("name" in pattern ? matchesName(pattern.name, name) : matchesParts(pattern, parts)),
    );
    return rule && !rule.isNegated;
  };
}

/** One character per byte, as git compares. */
const bytesOf = (text: string): string =>
  /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString("latin1");

interface Rule {
  readonly isNegated: boolean;
  readonly onlyFolders: boolean;
  /** For names at any depth, or the parts of a pattern for paths. */
  readonly pattern: { readonly name: Glob } | readonly PathPart[];
}

/** `**`: any number of folders. */
type PathPart = Glob | "**";

/** One character each, or a test for one; `*` stands for any number of characters. */
type Glob = readonly (string | ((char: string) => boolean))[];

function parseLine(line: string): Rule | undefined {
  if (line.startsWith("#")) return undefined;
  let rest = withoutTrailingSpaces(line.replace(/\r$/, ""));
  const isNegated = rest.startsWith("!");
  if (isNegated) rest = rest.slice(1);
  const onlyFolders = rest.endsWith("/");
  if (onlyFolders) rest = rest.slice(0, -1);
  if (rest === "") return undefined;
  const isForNames = !rest.includes("/");
  const parts = globsOf(rest.replace(/^\//, ""));
  if (!parts) return undefined;
  const [name] = parts;
  // In a pattern for names, `**` is an ordinary `*`.
  const pattern = isForNames ? { name: name === "**" || !name ? [ANY] : name } : parts;
  return { isNegated, onlyFolders, pattern };
}

/** Keeps a space after a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line.charAt(end - 1) === " ") end -= 1;
  let escapes = 0;
  while (line.charAt(end - 1 - escapes) === "\\") escapes += 1;
  return line.slice(0, escapes % 2 === 1 ? end + 1 : end);
}

const ANY = "*";

/** The parts of a pattern between its slashes. Undefined if it is malformed, and so matches nothing. */
function globsOf(pattern: string): readonly PathPart[] | undefined {
  const parts: PathPart[] = [];
  let glob: Glob[number][] = [];
  let stars = 0;
  const end = (): void => {
    parts.push(stars >= 2 && glob.length === 1 ? "**" : glob);
    [glob, stars] = [[], 0];
  };
  for (let at = 0; at < pattern.length; ) {
    const char = pattern.charAt(at);
    at += 1;
    if (char === "/") end();
    else if (char === "*") {
      stars += 1;
      if (glob.at(-1) !== ANY) glob.push(ANY);
    } else if (char === "?") glob.push(() => true);
    else if (char === "[") {
      const found = parseClass(pattern, at);
      if (!found) return undefined;
      glob.push(found.matches);
      at = found.end;
    } else if (char === "\\") {
      if (at === pattern.length) return undefined;
      glob.push(literal(pattern.charAt(at)));
      at += 1;
    } else glob.push(literal(char));
  }
  end();
  return parts;
}

const literal = (char: string): Glob[number] => (char === ANY ? (other) => other === ANY : char);

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** `[a-z]`, `[!a]`, `[[:digit:]]`, starting after the bracket. Undefined if it is not closed. */
function parseClass(
  pattern: string,
  start: number,
): { readonly matches: (char: string) => boolean; readonly end: number } | undefined {
  const tests: ((char: string) => boolean)[] = [];
  let at = start;
  const isNegated = /[!^]/.test(pattern.charAt(at));
  if (isNegated) at += 1;
  let last = "";
  for (let isFirst = true; ; isFirst = false) {
    if (at >= pattern.length) return undefined;
    let char = pattern.charAt(at);
    at += 1;
    if (char === "]" && !isFirst) break;
    const named = char === "[" ? /^:([a-z]*):\]/.exec(pattern.slice(at, at + 12)) : undefined;
    if (named) {
      const test = Object.hasOwn(CLASSES, named[1] ?? "") ? CLASSES[named[1] ?? ""] : undefined;
      if (!test) return undefined;
      tests.push((other) => test.test(other));
      at += named[0].length;
      last = "";
      continue;
    }
    if (char === "-" && last !== "" && at < pattern.length && pattern.charAt(at) !== "]") {
      char = pattern.charAt(at);
      at += 1;
      if (char === "\\") {
        char = pattern.charAt(at);
        at += 1;
      }
      const [low, high] = [last, char];
      tests.push((other) => low <= other && other <= high);
      last = "";
      continue;
    }
    if (char === "\\") {
      if (at >= pattern.length) return undefined;
      char = pattern.charAt(at);
      at += 1;
    }
    const only = char;
    tests.push((other) => other === only);
    last = char;
  }
  return { matches: (char) => tests.some((test) => test(char)) !== isNegated, end: at };
}

/** Backtracks only to the last star, which suffices: an earlier star never has to take more. */
function matchesName(glob: Glob, name: string): boolean {
  return matchesSequence(glob, name, (test, at) => {
    const char = name.charAt(at);
    return typeof test === "string" ? test === char : test(char);
  });
}

function matchesParts(parts: readonly PathPart[], path: readonly string[]): boolean {
  // `a/**` matches the contents of `a`, not `a` itself.
  const isBelow = parts.length > 1 && parts.at(-1) === "**";
  const pattern = isBelow ? [...parts.slice(0, -1), [ANY] as Glob, "**" as const] : parts;
  return matchesSequence(pattern, path, (part, at) => matchesName(part, path[at] ?? ""));
}

function matchesSequence<Part>(
  pattern: readonly Part[],
  text: ArrayLike<unknown>,
  matches: (part: Exclude<Part, "*" | "**">, at: number) => boolean,
): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let place = 0; place < text.length; ) {
    const part = pattern[at];
    if (part === "*" || part === "**") {
      star = at;
      from = place;
      at += 1;
    } else if (part !== undefined && matches(part as Exclude<Part, "*" | "**">, place)) {
      at += 1;
      place += 1;
    } else if (star === -1) return false;
    else {
      at = star + 1;
      from += 1;
      place = from;
    }
  }
  return pattern.slice(at).every((part) => part === "*" || part === "**");
}
