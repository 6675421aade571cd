import { dirname, join } from "node:path";
import { readConfigText, userConfigPath } from "indusagi/config";
import { type Environment, isRecord } from "indusagi/core";
import { ModelError } from "./model-error.ts";

/** The keys of one account. */
export interface Accounts {
  /** The key of a provider. Undefined if the account has none. */
  key(provider: string): string | undefined;
}

/** Used if `--account` is not given. */
const DEFAULT_ACCOUNT = "default";

/**
 * Reads one account of `accounts.json` in the configuration folder: an object of accounts, each an object of keys by provider.
 * Without a name the account `default` is used if there is one. A file that others can read is refused.
 */
export function readAccounts(name: string | undefined, { env }: { readonly env: Environment }): Accounts {
  const file = accountFile(env);
  const accounts = (file === undefined ? undefined : readFile(file)) ?? new Map<string, Account>();
  const account = accounts.get(name ?? DEFAULT_ACCOUNT);
  if (name !== undefined && !account) {
    const known = [...accounts.keys()].join(", ") || "none";
    throw new ModelError(
      "no_key",
      `${file ?? "accounts.json"} has no account ${JSON.stringify(name)}; it has: ${known}`,
    );
  }
  return { key: (provider) => account?.get(provider) || undefined };
}

function accountFile(env: Environment): string | undefined {
  const beside = userConfigPath({ env });
  return beside === undefined ? undefined : join(dirname(beside), "accounts.json");
}

/** Keys by provider. */
type Account = ReadonlyMap<string, string>;

function readFile(file: string): ReadonlyMap<string, Account> | undefined {
  const reading = readConfigText(file);
  if ("problem" in reading) {
    if (reading.isAbsent) return undefined;
    throw new ModelError("no_key", `${file} ${reading.problem}`);
  }
  if (reading.isShared)
    throw new ModelError("no_key", `${file} can be read by other users; run: chmod 600 ${file}`);
  const read = parsed(reading.text);
  if (!isRecord(read))
    throw new ModelError("no_key", `${file} must be a JSON object of accounts, each with keys by provider`);
  return new Map(Object.entries(read).map(([name, keys]) => [name, accountOf(keys, { file, name })]));
}

/** Never quotes a value: it may be a key. */
function accountOf(keys: unknown, { file, name }: { readonly file: string; readonly name: string }): Account {
  const quoted = JSON.stringify(name);
  if (!isRecord(keys))
    throw new ModelError(
      "no_key",
      `${file}: ${quoted} must be an account, an object of keys by provider, such as { "${DEFAULT_ACCOUNT}": { "anthropic": "…" } }`,
    );
  return new Map(
    Object.entries(keys).map(([provider, key]) => {
      if (typeof key === "string") return [provider, key];
      throw new ModelError(
        "no_key",
        `${file}: the key ${JSON.stringify(provider)} of ${quoted} must be a string`,
      );
    }),
  );
}

/** Drops the parser's error: it would quote part of the text, which may be a key. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
