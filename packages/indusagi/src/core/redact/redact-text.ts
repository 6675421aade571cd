import { REDACTED, replaceForms, secretForms } from "./known-secrets.ts";

/** The longest message in a log. */
const MAX_CHARS = 8_000;

/** Prepares a message for a log: replaces the given secrets and anything that looks like one, and limits the length. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  // The given secrets are replaced first: a cut through the middle of one would leave half of it.
  const known = replaceForms(text, secrets.flatMap(secretForms));
  return redactShapes(known.length > MAX_CHARS ? `${known.slice(0, MAX_CHARS)}…` : known);
}

/**
 * Replaces what looks like a secret: user, query and token-like path parts of URLs, bearer credentials, `token=…`, and
 * keys of well-known shapes.
 */
export function redactShapes(text: string): string {
  return SHAPES.reduce((rest, [shape, replace]) => rest.replace(shape, replace), text);
}

/** Whether part of a URL or path looks random: some servers take their key in the path. */
export function looksRandom(segment: string): boolean {
  return segment.length >= 20 && /\d/.test(segment) && /[a-z]/i.test(segment) && !isWords(segment);
}

/** A part of a name between its marks: a word, perhaps with a number at its end (`oauth2`), `k8s`, `v2`, or a short number. */
const WORD = /^(?:[a-z]{1,20}\d{0,2}|[a-z]\d{1,2}[a-z]|v?\d{1,4})$/;
const SCOPE = /^@[a-z][a-z0-9-]{0,40}(?:\/|%2f)/i;

/** Whether a text is words with marks between them, such as the name of a package: `@scope/mcp-server-kubernetes-v2`. */
export function isWords(text: string): boolean {
  if (text.length > 100) return false;
  const parts = text.replace(SCOPE, "").split(/[-_.@]/);
  return (
    parts.every((part) => WORD.test(part)) && parts.filter((part) => /^[a-z]{3,}$/.test(part)).length > 1
  );
}

type Replace = (match: string, ...groups: string[]) => string;

/** Patterns of secrets. Every repetition that can fail late is bounded, so matching is linear. */
const SHAPES: readonly (readonly [shape: RegExp, replace: Replace])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`]+/gi, (url) => redactUrl(url)],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, (match, scheme) => redactCredential(match, scheme)],
  [
    /((?:token|secret|passw(?:or)?d|api[_-]?key|authorization|credential)s?["']?\s{0,3}[:=]\s{0,3}["']?)([^\s"',;&}[]+)/gi,
    (match, name, value) => (isProse(name, value) || isNoSecret(name, value) ? match : `${name}${REDACTED}`),
  ],
  [
    /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bxox[a-z]-[\w-]{10,}/g,
    // A key has digits or capitals; `sk-learn-mcp-server-tools` is a package.
    (match) => (isPlaceholder(match) || !/[\dA-Z]/.test(match) || isWords(match) ? match : REDACTED),
  ],
  [/\bAKIA[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,2048}\.[\w-]{8,2048}(?:\.[\w-]+)?/g, () => REDACTED],
];

/** A text such as `basic information` is not a credential, nor are words with marks after `basic`: Base64 has no marks. */
function redactCredential(match: string, scheme = ""): string {
  const rest = match.slice(scheme.length).trim();
  const isText = /^[a-z]{1,15}\.?$/.test(rest) || (/^basic$/i.test(scheme) && isWords(rest));
  return isText ? match : `${scheme} ${REDACTED}`;
}

/** A sentence such as `invalid token: expired` has a short word after the colon and a space. */
function isProse(name = "", value = ""): boolean {
  // A capitalised word is more often a message (`API_KEY: Required`) than a key, but may well be a password.
  const word = /passw/i.test(name) ? /^[a-z]{1,15}[.!?]?$/ : /^[A-Z]?[a-z]{1,15}[.!?]?$/;
  return /:\s+$/.test(name) && word.test(value);
}

/** What programs write in place of a value to say whether there is one: `API_KEY: NOT SET`, `token=undefined`. */
const STATE =
  /^\W{0,3}(not|no|none|null|nil|nan|undefined|unset|set|missing|required|optional|empty|absent|present|invalid|expired|configured|provided|found|yes|true|false|ok)\W{0,3}$/i;

/** Marks such as `***`, `...` and `✗`. */
const MARKS = /^(?:[*.…•_x✗✘✖❌⚠✓✔✅()-]|\uFE0F)+$/;

/** Kept narrow: `$ecret`, `<3kittens` and `my-dog` may be passwords. */
const PLACEHOLDER =
  /^(<[A-Za-z][A-Za-z _-]*>?|\$\{[\w.:-]+\}?|\$[A-Z][A-Z0-9_]*|%[A-Z][A-Z0-9_]*%|\{\{ ?[\w.]+( ?\}\})?|process\.env\b.*|os\.(environ|getenv)\b.*|[Yy]our([-_ ][a-z]+){1,8}|YOUR([-_ ][A-Z]+){1,8}|(insert|replace)([-_ ][a-z]+){1,8}|(INSERT|REPLACE)([-_ ][A-Z]+){1,8})[.,:;)]?$/;

/** A well-known prefix followed by filler: `sk-xxxxxxxxxxxxxxxxxxxx`, `ghp_your_token_here`. */
const FILLER = /^[a-z]{2,10}(_pat)?[-_]+((.)\3{7,}|x[x_-]{3,}|your([-_][a-z]+){1,8})[.…]*$/i;

/** Whether a text stands for a value that the reader is to fill in, as documentation and usage texts write it. */
export function isPlaceholder(value: string): boolean {
  return value.length <= 200 && (MARKS.test(value) || PLACEHOLDER.test(value) || FILLER.test(value));
}

/** Paths below the usual roots, with or without a place in the file. Base64 can begin with a slash, but not like this. */
const PATH =
  /^(file:\/\/|~|\.{1,2}|[A-Za-z]:|\/(home|Users|root|usr|etc|var|opt|tmp|srv|app|mnt|private|workspace))[/\\]\S+$/;

/** Whether a text is a package with its scope, perhaps with a version. */
export function isScopedPackage(text: string): boolean {
  return SCOPED_PACKAGE.test(text);
}

const SCOPED_PACKAGE = /^@[a-z][a-z0-9-]{0,40}\/[a-z][a-z0-9._-]{0,60}(@[\w.^~-]{1,20})?$/;

/** The version in `mcp-secret==1.2.3`, and the tag of an image in `acme/mcp-token:latest`. */
const VERSION =
  /^(?:=?v?\d{1,4}(?:\.\d{1,4}){1,3}(?:[-+.][\w.]{1,20})?|\d{1,3}|latest|next|stable|beta|alpha|canary|main|edge)$/;

/** Whether the text after `token:` and the like is certainly not a value to hide. */
function isNoSecret(name = "", value = ""): boolean {
  if (STATE.test(value) || isPlaceholder(value)) return true;
  if (PATH.test(value)) return !value.split(/[/\\]/).some(looksRandom);
  if (/passw/i.test(name)) return false;
  if (VERSION.test(value)) return /[:=]$/.test(name);
  // A name without a scope could be a value, unless it says what it is.
  const isServer = /:\s+$/.test(name) && /(?:^|[-_])mcp(?:[-_]|$)/.test(value) && isWords(value);
  return isServer || isScopedPackage(value);
}

/** Registries have packages and versions in their paths, and no keys. */
const REGISTRIES =
  /^(registry\.npmjs\.org|registry\.yarnpkg\.com|(www\.)?npmjs\.com|pypi\.org|files\.pythonhosted\.org|proxy\.golang\.org|crates\.io)(\/|$)/i;

/** Keeps the scheme, the host and the plain path of a URL. */
export function redactUrl(url: string): string {
  const [, scheme = "", user, rest = "", query, fragment] =
    /^([^:]+:\/\/)([^/?#]*@)?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  // A path of this machine, as in a stack trace, and the name of a package are no secrets.
  const isPlain = /^(file|node|webpack):/i.test(scheme) || REGISTRIES.test(rest);
  const path = rest
    .split("/")
    .map((segment, place) =>
      place > 0 && !isPlain && looksRandom(segment) && !isPlaceholder(segment) ? REDACTED : segment,
    )
    .join("/");
  return `${scheme}${user ? `${REDACTED}@` : ""}${path}${query ? `?${REDACTED}` : ""}${fragment ? `#${REDACTED}` : ""}`;
}
