import { isLoopbackHost } from "../../core/index.ts";
import type { OAuthSettings } from "../../interop/contract/index.ts";
import { quoted } from "../report.ts";
import { type Check, checkArgument, checkUrl } from "./check-launch.ts";
import type { JsonMember } from "./json-tree.ts";
import { expandChecked, type LaunchOptions } from "./row-launch.ts";
import type { RowReader } from "./row-reader.ts";

/** The settings of a login with variables expanded, and as written. */
export interface OAuthBothWays {
  readonly reached: OAuthSettings | false;
  readonly written: OAuthSettings | false;
}

const TEXTS: { readonly [name: string]: Check } = {
  clientId: checkArgument,
  clientSecret: checkArgument,
  callbackHost: checkLoopback,
  authorizationServer: checkUrl,
};
const NAMES = [...Object.keys(TEXTS), "scopes", "callbackPort"];

/** The `oauth` of a row. A wrong value refuses the row: it would send the user or a secret to the wrong place. */
export function oauthMember(row: RowReader, options: LaunchOptions): OAuthBothWays | undefined {
  const member = row.member("oauth");
  if (!member) return undefined;
  if (member.value.value === false) return { reached: false, written: false };
  if (member.value.type !== "object") {
    row.refuse(row.spotOf(member), '"oauth" is neither false nor an object; write { "clientId": "…" }');
    return undefined;
  }
  const reached: { [name: string]: unknown } = {};
  const written: { [name: string]: unknown } = {};
  for (const setting of row.membersIn(member.value, [...row.path, "oauth"])) {
    const values = settingOf(row, setting, options);
    if (!values) continue;
    [reached[setting.key], written[setting.key]] = values;
  }
  const settings = reached as OAuthSettings;
  requireIssuer(row, member, settings);
  return { reached: settings, written: written as OAuthSettings };
}

/** The value with variables expanded, and as written. */
function settingOf(
  row: RowReader,
  { key, offset, value }: JsonMember,
  options: LaunchOptions,
): readonly [unknown, unknown] | undefined {
  const spot = { offset, path: [...row.path, "oauth", key] };
  const label = `oauth ${quoted(key)}`;
  const check = Object.hasOwn(TEXTS, key) ? TEXTS[key] : undefined;
  if (check) {
    if (typeof value.value !== "string" || value.value === "") {
      row.refuse(spot, `${label} is not a text; write it in quotes`);
      return undefined;
    }
    return [expandChecked(row, { text: value.value, spot, label }, { ...options, check }), value.value];
  }
  if (key === "scopes") {
    const scopes = scopesOf(value);
    if (!scopes) row.refuse(spot, `${label} is not a list of scopes; write ["…", "…"]`);
    return scopes && [scopes, scopes];
  }
  if (key === "callbackPort") {
    const port: unknown = value.value;
    if (isPort(port)) return [port, port];
    row.refuse(spot, `${label} is not a port; write a number from 1 to 65535`);
    return undefined;
  }
  row.warn(spot, `${label} has no effect here; use ${NAMES.join(", ")}`);
  return undefined;
}

function scopesOf({ type, children = [], value }: JsonMember["value"]): readonly string[] | undefined {
  const listed: readonly unknown[] =
    type === "array"
      ? children.map((child): unknown => child.value)
      : typeof value === "string"
        ? value.split(" ").filter((scope) => scope !== "")
        : [undefined];
  return listed.every(isScope) ? listed : undefined;
}

/** The characters of a scope in the specification. */
function isScope(value: unknown): value is string {
  return typeof value === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
}

function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/** The authorization server's redirect contains a code that must reach only this machine. */
function checkLoopback(host: string): string | undefined {
  // Browsers take every name below localhost for this machine.
  const isLocal = isLoopbackHost(host) || /^([a-z0-9-]+\.)+localhost$/i.test(host);
  return isLocal ? undefined : "is not a loopback host; use localhost or 127.0.0.1";
}

/** Otherwise the server itself would decide who receives the secret. */
function requireIssuer(row: RowReader, member: JsonMember, settings: OAuthSettings): void {
  const { clientId, clientSecret, authorizationServer } = settings;
  if (clientSecret === undefined || (clientId !== undefined && authorizationServer !== undefined)) return;
  const lacking = clientId === undefined ? "clientId" : "authorizationServer";
  row.refuse(row.spotOf(member), `"oauth" has a "clientSecret" and no ${quoted(lacking)}; add it`);
}
