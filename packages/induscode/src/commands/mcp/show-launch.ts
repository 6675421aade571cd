import type { LaunchAsWritten, PlainRow } from "indusagi/config";
import { escapeForDisplay, type SecretSource, secretValues, showName, textTable } from "indusagi/core";

/** Replaces what must not be shown. */
type Hide = (text: string) => string;

/**
 * Everything a row starts, connects to or configures, as written in its file: one line for each argument, variable, header and
 * login setting. Every value is quoted, and characters that a terminal would interpret or hide are escaped.
 */
export function showLaunch(written: LaunchAsWritten, hide: Hide = (text) => text): string {
  const {
    command,
    args = [],
    cwd,
    url,
    envFiles = [],
    env = {},
    headers = {},
    fromCommand = {},
    oauth,
    pin,
    envFileNames = [],
    members = {},
  } = written;
  const quoted = (text: string): string => escapeForDisplay(JSON.stringify(hide(text)));
  const shown = (value: unknown): string => escapeForDisplay(JSON.stringify(hiddenIn(value, hide)));
  const pairs = (what: string, values: { readonly [name: string]: string }): string[][] =>
    Object.entries(values).map(([name, value]) => [what, `${quoted(name)} = ${quoted(value)}`]);
  const lines = [
    ...(command === undefined ? [] : [["command", quoted(command)]]),
    ...args.map((argument) => ["argument", quoted(argument)]),
    ...(cwd === undefined ? [] : [["folder", quoted(cwd)]]),
    ...(url === undefined ? [] : [["url", quoted(url)]]),
    ...envFiles.map((file) => ["variables of", quoted(file)]),
    ...envFileNames.map((name) => ["sets", quoted(name)]),
    ...pairs("variable", env),
    ...pairs("header", headers),
    ...Object.entries(fromCommand).map(([name, words]) => [
      "from command",
      `${quoted(name)} = the output of ${words.map(quoted).join(" ")}`,
    ]),
    ...(oauth === false ? [["oauth", "false: no login"]] : []),
    ...Object.entries(oauth || {}).map(([name, value]) => ["oauth", `${quoted(name)} = ${shown(value)}`]),
    ...(pin === undefined ? [] : [["pin", `${quoted(pin)}: changed tools are not held or withheld`]]),
    // Members that have an effect have short names.
    ...Object.entries(members).map(([member, value]) => [showName(member), shown(value)]),
  ];
  return `${textTable(lines).trimEnd().replaceAll(/^/gm, "  ")}\n`;
}

/** Replaces secret values. A reference such as `${TOKEN}` is not a secret. */
export function hiding(written: LaunchAsWritten | PlainRow): Hide {
  const secrets = secretValues(sourceOf({ ...written })).filter(
    (value) => !/^(\$\{[^}]*\}|\s|Bearer)*$/.test(value),
  );
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((hidden, secret) => hidden.replaceAll(secret, "…"), text);
}

/** The parts of a launch, or of any client's row, that can hold secrets. */
function sourceOf({
  env,
  environment,
  headers,
  http_headers: other,
  url,
  args,
  oauth,
}: PlainRow): SecretSource {
  const { clientSecret } = objectOf(oauth);
  return {
    env: objectOf(env ?? environment),
    headers: { ...objectOf(headers), ...objectOf(other) },
    url: typeof url === "string" ? url : undefined,
    args: Array.isArray(args) ? args.map(String) : [],
    oauth: typeof clientSecret === "string" && { clientSecret },
  };
}

function objectOf(value: unknown): PlainRow {
  return typeof value === "object" && value !== null ? (value as PlainRow) : {};
}

/** Applies `hide` to every string in a value. */
export function hiddenIn(value: unknown, hide: Hide): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((item) => hiddenIn(item, hide));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, hiddenIn(member, hide)]);
  return Object.fromEntries(members) as unknown;
}
