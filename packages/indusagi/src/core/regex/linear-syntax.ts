/**
 * Translates a JavaScript pattern (with the flag `u`) to RE2's syntax, with the same meaning. Returns nothing for a
 * pattern that is not valid or that RE2 cannot express: lookarounds, back-references, most Unicode properties.
 * With the flag `i`, `\w` and `\b` know ASCII letters only.
 */
export function toLinearSyntax(pattern: string): string | undefined {
  if (!isValid(pattern)) return undefined;
  const parts: string[] = [];
  let at = 0;
  while (at < pattern.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(pattern)?.[0];
    const part = token === undefined ? undefined : linearPart(token);
    if (token === undefined || part === undefined) return undefined;
    parts.push(part);
    at += token.length;
  }
  return parts.join("");
}

function isValid(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, "u"));
  } catch {
    return false;
  }
}

/** Escapes of one character, among them both halves of a pair; then escapes of other kinds. */
const ESCAPE = String.raw`\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[^])`;
const CLASS = String.raw`\[\^?(?:\\[^]|[^\\\]])*\]`;
const GROUP = String.raw`\(\?(?:<[^>=!][^>]*>|[^<]|<[=!])`;
const TOKEN = new RegExp(`${ESCAPE}|${CLASS}|${GROUP}|[^]`, "uy");

/** Properties that mean the same in both engines. `C` does not: RE2's has no unassigned characters. */
const PROPERTY =
  /^\\[pP]\{(?:C[cfos]|L[ulmot]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Alphabetic|White_Space)\}$/;

/** White space of JavaScript, as ranges of code points. RE2's own `\s` is ASCII only. */
const SPACE = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NOT_SPACE = String.raw`\x00-\x08\x0e-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const ANY = String.raw`\x00-\x{10ffff}`;

type Spelling = { readonly [token: string]: string };

const OUTSIDE: Spelling = {
  ".": String.raw`[^\n\r\x{2028}\x{2029}]`,
  "^": String.raw`\A`,
  $: String.raw`\z`,
  "(?:": "(?:",
  "\\b": "\\b",
  "\\B": "\\B",
  "\\s": `[${SPACE}]`,
  "\\S": `[${NOT_SPACE}]`,
};

const MEMBER: Spelling = { "\\s": SPACE, "\\S": NOT_SPACE };

function linearPart(token: string): string | undefined {
  if (Object.hasOwn(OUTSIDE, token)) return OUTSIDE[token];
  if (token.startsWith("[")) return linearClass(token);
  // A named group. RE2 has other rules for names, and a test needs none.
  if (/^\(\?<[^=!]/u.test(token)) return "(";
  if (token.startsWith("(?")) return undefined;
  if (!token.startsWith("\\")) return token;
  return linearSet(token) ?? spelled(codePointOf(token));
}

/** Sets that are spelled the same inside and outside of brackets. */
function linearSet(token: string): string | undefined {
  return /^\\[dDwW]$/.test(token) || PROPERTY.test(token) ? token : undefined;
}

const MEMBER_TOKEN = new RegExp(`${ESCAPE}|[^]`, "gu");

function linearClass(token: string): string | undefined {
  const isNegated = token.startsWith("[^");
  const members = token.slice(isNegated ? 2 : 1, -1).match(MEMBER_TOKEN) ?? [];
  if (members.length === 0) return isNegated ? `[${ANY}]` : `[^${ANY}]`;
  const parts: string[] = [];
  for (let at = 0; at < members.length; at++) {
    const member = members[at] ?? "";
    const isRange = members[at + 1] === "-" && at + 2 < members.length;
    const set = Object.hasOwn(MEMBER, member) ? MEMBER[member] : linearSet(member);
    const part = set ?? spelled(member === "\\b" ? 8 : codePointOf(member));
    const last = isRange ? spelled(codePointOf(members[at + 2] ?? "")) : "";
    if (part === undefined || last === undefined) return undefined;
    parts.push(isRange ? `${part}-${last}` : part);
    if (isRange) at += 2;
  }
  return `[${isNegated ? "^" : ""}${parts.join("")}]`;
}

function spelled(codePoint: number | undefined): string | undefined {
  return codePoint === undefined ? undefined : `\\x{${codePoint.toString(16)}}`;
}

const CONTROLS: { readonly [escape: string]: number } = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** The character that a token matches, if it is one that both engines match in the same way. */
function codePointOf(token: string): number | undefined {
  const name = token.slice(1);
  const codePoint = token.startsWith("\\") && name !== "" ? escapedCodePoint(name) : token.codePointAt(0);
  // Half a pair: RE2 has no syntax for it.
  return codePoint !== undefined && codePoint >= 0xd800 && codePoint <= 0xdfff ? undefined : codePoint;
}

function escapedCodePoint(name: string): number | undefined {
  if (Object.hasOwn(CONTROLS, name)) return CONTROLS[name];
  const pair = /^u([\da-f]{4})\\u([\da-f]{4})$/i.exec(name);
  if (pair) return String.fromCharCode(hex(pair[1]), hex(pair[2])).codePointAt(0);
  const digits = /^(?:u\{([\da-f]+)\}|[ux]([\da-f]+))$/i.exec(name);
  if (digits) return hex(digits[1] ?? digits[2]);
  if (/^c[a-z]$/i.test(name)) return name.charCodeAt(1) % 32;
  // With the flag `u` only these may be escaped; letters and digits left are sets and references.
  return /^[\^$\\.*+?()[\]{}|/-]$/.test(name) ? name.codePointAt(0) : undefined;
}

function hex(digits: string | undefined): number {
  return Number.parseInt(digits ?? "", 16);
}
