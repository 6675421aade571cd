/** Whether a text is a regular expression at all. Authors write for either mode of JavaScript's. */
export function isRegex(pattern: string): boolean {
  return compiles(pattern, "") || compiles(withoutProperties(pattern), "u");
}

/**
 * Whether a regular expression is one for Python's `re` too, by which OpenAI judges it. Some of what `re` would take is
 * refused, e.g. a look-behind with a choice in it: that loses a pattern, where the opposite would lose the request.
 */
export function isPythonRegex(pattern: string): boolean {
  return isRegex(pattern) && (!SPECIAL.test(pattern) || isReadAlike(pattern));
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return Boolean(new RegExp(pattern, flags));
  } catch {
    return false;
  }
}

/** Each `\p{…}` is a table of thousands to build, and a hostile pattern can ask for thousands of those. */
function withoutProperties(pattern: string): string {
  return pattern.replace(/\\(?:[pP]\{[^}]*\}|[^])/g, (escape) => (escape.length > 2 ? "\\d" : escape));
}

/** Without one of these the two languages read the same. */
const SPECIAL = /[\\[({]/;

/** `\A` and `\Z`, letters to JavaScript, are ends of the text to Python, and nothing to repeat. */
const ESCAPE = String.raw`\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[1-9]\d*|[AZ][*+?{]|[^])`;
const CLASS = String.raw`\[\^?(?:\\[^]|[^\\\]])*\]`;
const GROUP = String.raw`\((?:\?(?:<[=!]?|[^]))?`;
/** Quantifiers of no fixed count. Only Python knows `{,3}`. */
const LOOSE = String.raw`[*+?|]|\{,|\{(?!\d+\})`;
const TOKEN = new RegExp(`${ESCAPE}|${CLASS}|${GROUP}|\\)|${LOOSE}`, "g");

/** What has been read so far. */
interface Reading {
  /** The groups that the reading stands inside of. */
  readonly open: { readonly number: number; readonly isFixed: boolean }[];
  /** The groups whose catch can be referred to. */
  readonly closed: Set<number>;
  captures: number;
}

/** Reads a pattern that JavaScript takes with Python's eyes. */
function isReadAlike(pattern: string): boolean {
  const reading: Reading = { open: [], closed: new Set(), captures: 0 };
  for (const [token] of pattern.matchAll(TOKEN)) if (!isTaken(token, reading)) return false;
  return true;
}

function isTaken(token: string, reading: Reading): boolean {
  const isFixed = reading.open.at(-1)?.isFixed ?? false;
  switch (token[0]) {
    case "(":
      // Inside a look-behind only a fixed length is taken.
      reading.open.push({
        number: token === "(" ? ++reading.captures : 0,
        isFixed: isFixed || token.startsWith("(?<"),
      });
      return token !== "(?<";
    case ")":
      reading.closed.add(reading.open.pop()?.number ?? 0);
      return true;
    case "[":
      return isTakenClass(token);
    case "\\":
      if (isReference(token)) return !isFixed && reading.closed.has(Number(token.slice(1)));
      return isTakenEscape(token, "AbBdDsSwWZafnrtv");
    default:
      return !isFixed && token !== "{,";
  }
}

function isReference(escape: string): boolean {
  return /^\\[1-9]/.test(escape);
}

/** Escapes of signs are taken, those of letters only with a meaning. */
function isTakenEscape(escape: string, letters: string): boolean {
  if (escape.length > 2 && /^\\[ux]/.test(escape)) return true;
  return !/^\\[a-zA-Z]/.test(escape) || letters.includes(escape.slice(1));
}

const ATOM = String.raw`\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[^])|[^\\]`;
const RANGE = new RegExp(`(${ATOM})(?:-(${ATOM}))?`, "gu");

/** JavaScript knows an empty class, and in its older mode a range that ends in a class: `[\w-.]`. Python does not. */
function isTakenClass(token: string): boolean {
  const body = token.slice(token.startsWith("[^") ? 2 : 1, -1);
  for (const [, first = "", last] of body.matchAll(RANGE)) {
    const atoms = last === undefined ? [first] : [first, last];
    if (last !== undefined && atoms.some((atom) => /^\\[dDsSwW]$/.test(atom))) return false;
    if (atoms.some((atom) => isReference(atom) || !isTakenEscape(atom, "abdDsSwWfnrtv"))) return false;
  }
  return body !== "";
}
