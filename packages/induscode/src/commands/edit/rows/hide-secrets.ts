import type { LaunchAsWritten, PlainRow } from "indusagi/config";
import { type SecretSource, secretValues } from "indusagi/core";

/** Replaces the values that are secrets. A reference such as `${TOKEN}` is none. */
export function hiding(written: LaunchAsWritten | PlainRow): (text: string) => string {
  const secrets = secretValues(sourceOf({ ...written })).filter(
    (value) => !/^(\$\{[^}]*\}|\s|Bearer)*$/.test(value),
  );
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((hidden, secret) => hidden.replaceAll(secret, "…"), text);
}

/** The parts of a launch, or of a row of any client, that can hold secrets. */
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

/** A value with every string in it hidden as needed. */
export function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((item) => hiddenIn(item, hide));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, hiddenIn(member, hide)]);
  return Object.fromEntries(members) as unknown;
}
