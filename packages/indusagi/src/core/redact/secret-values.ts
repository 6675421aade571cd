import { safeEnvironment } from "../environment/safe-env.ts";
import { MIN_SECRET_CHARS } from "./known-secrets.ts";
import { isPlaceholder, isScopedPackage, isWords, looksRandom, redactUrl } from "./redact-text.ts";

/** The parts of a server's configuration that can hold secrets. */
export interface SecretSource {
  readonly env?: { readonly [name: string]: unknown } | undefined;
  readonly headers?: { readonly [name: string]: unknown } | undefined;
  readonly url?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly oauth?: { readonly clientSecret?: string | undefined } | false | undefined;
}

/** The shortest value that counts if its name does not look like the name of a secret. */
const MIN_UNNAMED_CHARS = 6;

const SECRET_NAME = /key|token|secret|pass|pwd|auth|credential|cookie|session|private|signature|bearer|jwt/i;

/** Names that hold numbers, such as `MAX_TOKENS`. */
const COUNT_NAME = /tokens$/i;

/** Headers that describe a request. */
const PLAIN_HEADERS =
  /^(accept(-\w+)?|cache-control|connection|content-(type|length|encoding)|host|origin|referer|user-agent|mcp-protocol-version)$/i;

/** Common values that messages contain for other reasons. */
const PLAIN_VALUES =
  /^(true|false|yes|no|on|off|none|null|undefined|auto|default|enabled?|disabled?|production|development|staging|test(ing)?|debug|info|notice|warn(ing)?|errors?|trace|verbose|silent|quiet|stdio|http|https|localhost|utf-?8|bearer|basic|digest|token|readonly|read-only|json|text|en[-_]us|application\/[\w.+-]+)$/i;

/** A command-line option that is, or is followed by, a secret. */
export const SECRET_OPTION: RegExp =
  /^(?!--?no-)(--?[\w-]{0,40}(?:token|secret|passw|key|credential|auth|header)[\w-]{0,40})(=?)/i;

/**
 * The values in a configuration that no message may show: those of the environment and of headers, the user, the
 * password, the query and random-looking path parts of the URL, and arguments of options such as `--token`.
 *
 * A value counts from 4 characters on if its name looks like that of a secret (`KEY`, `TOKEN`, `PASS`, …), otherwise
 * from 6 on. Common words such as `production` never count; plain numbers, paths, addresses without credentials and
 * values of our own environment, such as `HOME`, count only under a name of a secret. So do values that are part
 * of an argument which names a package.
 */
export function secretValues({ env, headers, url, args, oauth }: SecretSource): string[] {
  const named = [
    ...Object.entries(env ?? {}).flatMap(([name, value]): Named[] => [
      [name, String(value)],
      ...urlValues(String(value)),
    ]),
    ...Object.entries(headers ?? {}).flatMap(([name, value]) => headerValues(name, String(value))),
    ...(url === undefined ? [] : urlValues(url)),
    ...argumentValues(args ?? []),
    ...(oauth && oauth.clientSecret !== undefined ? [["clientSecret", oauth.clientSecret] as const] : []),
  ];
  if (named.length === 0) return [];
  const ours = new Set(Object.values(safeEnvironment()));
  const packages = packageArguments(args ?? []);
  const isShown = (value: string): boolean =>
    ours.has(value) || packages.some((name) => name.includes(value));
  const secrets = named.filter(([name, value]) => isSecret(name, value, isShown)).map(([, value]) => value);
  return [...new Set(secrets)];
}

type Named = readonly [name: string, value: string];

function isSecret(name: string, value: string, isShown: (value: string) => boolean): boolean {
  if (value.length < MIN_SECRET_CHARS || PLAIN_VALUES.test(value) || isPlaceholder(value)) return false;
  if (SECRET_NAME.test(name)) return !(COUNT_NAME.test(name) && isNumber(value));
  if (value.length < MIN_UNNAMED_CHARS || isNumber(value) || isShown(value)) return false;
  return !isPlainPath(value) && !isPlainAddress(value);
}

const isNumber = (value: string): boolean => /^[\d.,_:+-]+$/.test(value);

function isPlainPath(value: string): boolean {
  return /^(\/|~[/\\]|\.{1,2}[/\\]|[a-z]:[/\\])/i.test(value) && !value.split(/[/\\]/).some(looksRandom);
}

function isPlainAddress(value: string): boolean {
  return URL.canParse(value) && /^[a-z][\w+.-]*:\/\//i.test(value) && redactUrl(value) === value;
}

/** A header is often a scheme with a secret, or a list of cookies, and a message may quote only the secret. */
function headerValues(name: string, value: string): Named[] {
  if (PLAIN_HEADERS.test(name)) return [];
  const [scheme = "", ...rest] = value.split(/\s+/);
  const cookies = /^cookie$/i.test(name) ? value.split(";").map((pair) => pair.replace(/^[^=]*=/, "")) : [];
  const basic = /^basic$/i.test(scheme) ? Buffer.from(rest[0] ?? "", "base64").toString("utf8") : "";
  const login = [basic, basic.slice(basic.indexOf(":") + 1)];
  return [[name, value], ...[...rest, ...cookies, ...login].map((part): Named => ["secret", part.trim()])];
}

function urlValues(url: string): Named[] {
  if (!URL.canParse(url)) return [];
  const { username, password, searchParams, pathname } = new URL(url);
  return [
    ...[username, password].map((part): Named => ["password", decoded(part)]),
    ...searchParams,
    ...pathname
      .split("/")
      .filter(looksRandom)
      .map((part): Named => ["secret", decoded(part)]),
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function argumentValues(args: readonly string[]): Named[] {
  // A malformed row has no secrets to hide; starting it reports the problem.
  if (!Array.isArray(args)) return [];
  return args.flatMap((argument, at) => secretsAt(args, argument, at));
}

function packageArguments(args: readonly string[]): readonly string[] {
  if (!Array.isArray(args)) return [];
  return args.filter(
    (argument, at) =>
      (isScopedPackage(argument) || isWords(argument)) && secretsAt(args, argument, at).length === 0,
  );
}

function secretsAt(args: readonly string[], argument: string, at: number): Named[] {
  const [, option, isJoined] = SECRET_OPTION.exec(argument) ?? [];
  if (option !== undefined && isJoined) return headerValues(option, argument.slice(option.length + 1));
  const before = SECRET_OPTION.exec(args[at - 1] ?? "");
  if (before?.[2] !== "" || option !== undefined) return [];
  return headerValues(before[1] ?? "", argument);
}
