/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

/** A text for a log is read by people: more than this helps nobody, and bounds what the patterns below can cost. */
const MAX_LENGTH = 8_000;

/** Shorter values are words that occur by chance. */
const MIN_SECRET_LENGTH = 4;

/**
 * A text without what must not be seen: the given secrets wherever they occur, and whatever has the form of one
 * (user, query and token-like path of URLs, bearer credentials, `token=…`, the well-known shapes of keys).
 */
export function redactText(text: string, secrets: readonly string[] = []): string {
  // The given ones go first and from the whole text: a cut through the middle of one would leave half of it.
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

/** The forms a secret takes in a text. Every repetition is bounded, so that no text is slow. */
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

/** A URL with its scheme, host and plain path; who logs in, what is asked and what looks like a token go. */
function redactUrl(url: string): string {
  const [, scheme = "", user, rest = "", query, fragment] =
    /^([^:]+:\/\/)([^/?#]*@)?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const path = rest
    .split("/")
    .map((segment, place) => (place > 0 && looksRandom(segment) ? REDACTED : segment))
    .join("/");
  return `${scheme}${user ? `${REDACTED}@` : ""}${path}${query ? `?${REDACTED}` : ""}${fragment ? `#${REDACTED}` : ""}`;
}

/** Some servers are given their key as a part of the path. */
function looksRandom(segment: string): boolean {
  return segment.length >= 20 && /\d/.test(segment) && /[a-z]/i.test(segment);
}
