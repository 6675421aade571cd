import { isRecord } from "../../../core/internal.ts";
import type { LoginRecord, StoredJson, StoredLogin, TokenSet } from "../../contract/index.ts";

/** The version of the file's form. A file of another version is not read. */
const VERSION = 1;

/** A login as the text of a file. */
export function writeLogin({ key, record }: StoredLogin): string {
  return `${JSON.stringify({ version: VERSION, ...key, ...record }, undefined, 2)}\n`;
}

/** The login in a file; `undefined` if the text is not one. */
export function parseLogin(text: string): StoredLogin | undefined {
  const file = objectIn(text);
  if (file?.["version"] !== VERSION) return undefined;
  const { server, issuer, principal, client, savedAtMs } = file;
  if (!isText(server) || !isText(issuer) || !isText(principal) || !isRecord(client)) return undefined;
  const tokens = parseTokens(file["tokens"]);
  const record: LoginRecord = {
    client,
    savedAtMs: isNumber(savedAtMs) ? savedAtMs : 0,
    ...texts(file, ["redirectUrl", "resource", "account", "wantedScope", "refreshRefused"]),
    ...(isRecord(file["metadata"]) ? { metadata: file["metadata"] } : {}),
    ...(tokens ? { tokens } : {}),
    ...(file["refreshRefused"] === true ? { refreshRefused: true } : {}),
  };
  return { key: { server, issuer, principal }, record };
}

function parseTokens(value: unknown): TokenSet | undefined {
  if (!isRecord(value)) return undefined;
  const { accessToken, obtainedAtMs, expiresAtMs } = value;
  if (!isText(accessToken)) return undefined;
  return {
    accessToken,
    obtainedAtMs: isNumber(obtainedAtMs) ? obtainedAtMs : 0,
    ...texts(value, ["refreshToken", "scope"]),
    ...(isNumber(expiresAtMs) ? { expiresAtMs } : {}),
  };
}

function texts<Name extends string>(from: StoredJson, names: readonly Name[]): { [name in Name]?: string } {
  const found: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = from[name];
    if (isText(value)) found[name] = value;
  }
  return found;
}

function objectIn(text: string): StoredJson | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
