/** Whether a text is a JavaScript regular expression, with or without the `u` flag: authors write for both. */
export function isRegex(pattern: string): boolean {
  return compiles(pattern, "") || compiles(withoutUnicodeProperties(pattern), "u");
}

/**
 * Whether a regular expression is also valid in Python's `re`, which OpenAI checks it with. When in doubt the answer is
 * `false`, for example for a look-behind with alternatives: that loses one pattern, while a wrong `true` fails the request.
 */
export function isPythonRegex(pattern: string): boolean {
  return isRegex(pattern) && (!NEEDS_SCAN.test(pattern) || isValidInPython(pattern));
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return Boolean(new RegExp(pattern, flags));
  } catch {
    return false;
  }
}

/** Compiling `\p{…}` builds a table of thousands of entries, and a hostile pattern can contain thousands of them. */
function withoutUnicodeProperties(pattern: string): string {
  return pattern.replace(/\\(?:[pP]\{[^}]*\}|[^])/g, (escape) => (escape.length > 2 ? "\\d" : escape));
}

/** A pattern without these characters means the same in both languages. */
const NEEDS_SCAN = /[\\[({]/;

/** `\A` and `\Z` are letters in JavaScript. In Python they are anchors, which cannot be repeated. */
const ESCAPE = String.raw`\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[1-9]\d*|[AZ][*+?{]|[^])`;
const CLASS = String.raw`\[\^?(?:\\[^]|[^\\\]])*\]`;
const GROUP = String.raw`\((?:\?(?:<[=!]?|[^]))?`;
/** Quantifiers without a fixed count. `{,3}` is a quantifier only in Python. */
const VARIABLE = String.raw`[*+?|]|\{,|\{(?!\d+\})`;
const TOKEN = new RegExp(`${ESCAPE}|${CLASS}|${GROUP}|\\)|${VARIABLE}`, "g");

/** The state after the tokens scanned so far. */
interface Scan {
  /** The groups around the current token. */
  readonly open: { readonly number: number; readonly isFixed: boolean }[];
  /** The numbers of closed groups, to which a back-reference may point. */
  readonly closed: Set<number>;
  captures: number;
}

/** Checks a valid JavaScript pattern against Python's grammar. */
function isValidInPython(pattern: string): boolean {
  const scan: Scan = { open: [], closed: new Set(), captures: 0 };
  for (const [token] of pattern.matchAll(TOKEN)) if (!isSupportedToken(token, scan)) return false;
  return true;
}

function isSupportedToken(token: string, scan: Scan): boolean {
  const isFixed = scan.open.at(-1)?.isFixed ?? false;
  switch (token[0]) {
    case "(":
      // Python allows only a fixed length inside a look-behind.
      scan.open.push({
        number: token === "(" ? ++scan.captures : 0,
        isFixed: isFixed || token.startsWith("(?<"),
      });
      return token !== "(?<";
    case ")":
      scan.closed.add(scan.open.pop()?.number ?? 0);
      return true;
    case "[":
      return isSupportedClass(token);
    case "\\":
      if (isReference(token)) return !isFixed && scan.closed.has(Number(token.slice(1)));
      return isSupportedEscape(token, "AbBdDsSwWZafnrtv");
    default:
      return !isFixed && token !== "{,";
  }
}

function isReference(escape: string): boolean {
  return /^\\[1-9]/.test(escape);
}

/** Python accepts an escaped letter only if it has a meaning; other escaped characters always. */
function isSupportedEscape(escape: string, letters: string): boolean {
  if (escape.length > 2 && /^\\[ux]/.test(escape)) return true;
  return !/^\\[a-zA-Z]/.test(escape) || letters.includes(escape.slice(1));
}

const ATOM = String.raw`\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[^])|[^\\]`;
const RANGE = new RegExp(`(${ATOM})(?:-(${ATOM}))?`, "gu");

/** JavaScript allows an empty class and, without `u`, a range that ends in a class: `[\w-.]`. Python does not. */
function isSupportedClass(token: string): boolean {
  const body = token.slice(token.startsWith("[^") ? 2 : 1, -1);
  for (const [, first = "", last] of body.matchAll(RANGE)) {
    const atoms = last === undefined ? [first] : [first, last];
    if (last !== undefined && atoms.some((atom) => /^\\[dDsSwW]$/.test(atom))) return false;
    if (atoms.some((atom) => isReference(atom) || !isSupportedEscape(atom, "abdDsSwWfnrtv"))) return false;
  }
  return body !== "";
}
