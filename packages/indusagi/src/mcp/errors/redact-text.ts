/** Replaces a secret. */
export const REDACTED = "[redacted]";

/** Longer texts are cut. This limits the cost of the patterns below. */
const MAX_LENGTH = 8_000;

/** Shorter values occur in a text by chance. */
const MIN_SECRET_LENGTH = 4;

/**
 * Removes secrets from a text: the given ones, and everything that has the form of a secret (user, query and token-like
 * path segments of URLs, bearer credentials, `token=…`, well-known forms of keys).
 */
export function redactText(text: string, secrets: readonly string[] = []): string {
  // The given secrets are removed before the cut, which could otherwise leave half of one.
  const known = withoutKnown(text, secrets);
  const bounded = known.length > MAX_LENGTH ? `${known.slice(0, MAX_LENGTH)}…` : known;
  return FORMS.reduce((rest, [form, replace]) => rest.replace(form, replace), bounded);
}

function withoutKnown(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}

type Replace = (match: string, ...groups: string[]) => string;

/** The forms of secrets. Repetitions are bounded to keep the matching fast for any text. */
const FORMS: readonly (readonly [form: RegExp, replace: Replace])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`]+/gi, (url) => redactUrl(url)],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, (_match, scheme) => `${scheme} ${REDACTED}`],
  [
    /([\w-]{0,40}(?:token|secret|passw(?:or)?d|api[_-]?key|authorization|credential)s?["']?\s{0,3}[:=]\s{0,3}["']?)([^\s"',;&}[]+)/gi,
    (_match, name) => `${name}${REDACTED}`,
  ],
  [
    /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bxox[a-z]-[\w-]{10,}/g,
    () => REDACTED,
  ],
  [/\bAKIA[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?/g, () => REDACTED],
];

/** Keeps the scheme, host and plain path of a URL. Removes the user, the query, the fragment and token-like segments. */
function redactUrl(url: string): string {
  const [, scheme = "", user, rest = "", query, fragment] =
    /^([^:]+:\/\/)([^/?#]*@)?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const path = rest
    .split("/")
    .map((segment, index) => (index > 0 && looksRandom(segment) ? REDACTED : segment))
    .join("/");
  return `${scheme}${user ? `${REDACTED}@` : ""}${path}${query ? `?${REDACTED}` : ""}${fragment ? `#${REDACTED}` : ""}`;
}

/** Some services have the key in the path of the URL. */
function looksRandom(segment: string): boolean {
  return segment.length >= 20 && /\d/.test(segment) && /[a-z]/i.test(segment);
}
