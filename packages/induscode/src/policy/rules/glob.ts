/**
 * Whether a text matches a glob. `*` matches any characters, `?` one, and `\` makes the next character literal. With `segments`
 * the text is a path: `*` and `?` do not match `/`, `**` matches any characters, and `**` followed by a slash any number of
 * folders. Never takes exponential time.
 */
export function matchesGlob(text: string, glob: Glob): boolean {
  const { tokens, prefix } = glob;
  if (!text.startsWith(prefix)) return false;
  return run(text, tokens, prefix.length);
}

/** A parsed glob. */
export interface Glob {
  /** The characters before the first wildcard, which decide most comparisons. */
  readonly prefix: string;
  /** What follows: characters and wildcards. */
  readonly tokens: readonly Token[];
}

type Token =
  | string
  | typeof ANY
  | typeof ANY_IN_SEGMENT
  | typeof ONE
  | typeof ONE_IN_SEGMENT
  | typeof FOLDERS;
/** Nothing, or characters up to a slash. Only after a slash or at the start. */
const FOLDERS = 4;
const ANY = 0;
const ANY_IN_SEGMENT = 1;
const ONE = 2;
const ONE_IN_SEGMENT = 3;

export interface GlobOptions {
  /** The text is a path. */
  readonly segments?: boolean;
}

export function parseGlob(pattern: string, { segments = false }: GlobOptions = {}): Glob {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] as string;
    if (char === "\\" && at + 1 < pattern.length) tokens.push(pattern[++at] as string);
    else if (char === "?") tokens.push(segments ? ONE_IN_SEGMENT : ONE);
    else if (char === "*") {
      const start = at;
      while (pattern[at + 1] === "*") at += 1;
      const isOne = at === start;
      const isFolders = !isOne && pattern[at + 1] === "/" && (start === 0 || pattern[start - 1] === "/");
      if (segments && isFolders) at += 1;
      tokens.push(segments ? (isOne ? ANY_IN_SEGMENT : isFolders ? FOLDERS : ANY) : ANY);
    } else tokens.push(char);
  }
  const first = tokens.findIndex((token) => typeof token === "number");
  const literal = first < 0 ? tokens.length : first;
  return { prefix: tokens.slice(0, literal).join(""), tokens: tokens.slice(literal) };
}

/** A pattern that matches only this text. */
export function literalGlob(text: string): string {
  return text.replaceAll(/[\\*?]/g, String.raw`\$&`);
}

/**
 * The usual backtracking loop, with one backtrack point per kind of star: on a mismatch the last `*` of a segment takes one more
 * character, or if it cannot, the last star without a limit does.
 */
function run(text: string, tokens: readonly Token[], start: number): boolean {
  let at = start;
  let token = 0;
  let any: { token: number; at: number; isFolders: boolean } | undefined;
  let inSegment: { token: number; at: number } | undefined;
  while (at < text.length || token < tokens.length) {
    const wanted = tokens[token];
    if (wanted === ANY || wanted === FOLDERS) {
      any = { token: ++token, at, isFolders: wanted === FOLDERS };
      inSegment = undefined;
    } else if (wanted === ANY_IN_SEGMENT) {
      inSegment = { token: ++token, at };
    } else if (at < text.length && wanted !== undefined && fits(text[at] as string, wanted)) {
      at += 1;
      token += 1;
    } else if (inSegment && inSegment.at < text.length && text[inSegment.at] !== "/") {
      at = ++inSegment.at;
      token = inSegment.token;
    } else if (any && any.at < text.length) {
      const slash = any.isFolders ? text.indexOf("/", any.at) : any.at;
      if (slash < 0) return false;
      any.at = slash + 1;
      at = any.at;
      token = any.token;
      inSegment = undefined;
    } else return false;
  }
  return true;
}

function fits(char: string, token: Token): boolean {
  if (typeof token === "string") return char === token;
  return token === ONE || char !== "/";
}
