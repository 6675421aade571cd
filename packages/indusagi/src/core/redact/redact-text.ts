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
  return segment.length >= 20 && /\d/.test(segment) && /[a-z]/i.test(segment);
}

type Replace = (match: string, ...groups: string[]) => string;

/** Patterns of secrets. Every repetition that can fail late is bounded, so matching is linear. */
const SHAPES: readonly (readonly [shape: RegExp, replace: Replace])[] = [
  [/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`]+/gi, (url) => redactUrl(url)],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, (match, scheme) => redactCredential(match, scheme)],
  [
    /((?:token|secret|passw(?:or)?d|api[_-]?key|authorization|credential)s?["']?\s{0,3}[:=]\s{0,3}["']?)([^\s"',;&}[]+)/gi,
    (match, name, value) => (isProse(name, value) ? match : `${name}${REDACTED}`),
  ],
  [
    /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}|\bxox[a-z]-[\w-]{10,}/g,
    () => REDACTED,
  ],
  [/\bAKIA[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,2048}\.[\w-]{8,2048}(?:\.[\w-]+)?/g, () => REDACTED],
];

/** A text such as `basic information` is not a credential. */
function redactCredential(match: string, scheme: string | undefined): string {
  const rest = match.slice(scheme?.length).trim();
  return /^[a-z]{1,15}\.?$/.test(rest) ? match : `${scheme} ${REDACTED}`;
}

/** A sentence such as `invalid token: expired` has a short word after the colon and a space. */
function isProse(name: string | undefined, value: string | undefined): boolean {
  return /:\s+$/.test(name ?? "") && /^[a-z]{1,15}[.!?]?$/.test(value ?? "");
}

/** Keeps the scheme, the host and the plain path of a URL. */
export function redactUrl(url: string): string {
  const [, scheme = "", user, rest = "", query, fragment] =
    /^([^:]+:\/\/)([^/?#]*@)?([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const path = rest
    .split("/")
    .map((segment, place) => (place > 0 && looksRandom(segment) ? REDACTED : segment))
    .join("/");
  return `${scheme}${user ? `${REDACTED}@` : ""}${path}${query ? `?${REDACTED}` : ""}${fragment ? `#${REDACTED}` : ""}`;
}
