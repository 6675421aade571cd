import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeError, type Environment, errorCode } from "indusagi/core";
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
  const accounts = file === undefined ? undefined : readFile(file);
  const wanted = name ?? DEFAULT_ACCOUNT;
  const account = accounts?.[wanted];
  if (name !== undefined && (typeof account !== "object" || account === null)) {
    const known = Object.keys(accounts ?? {}).join(", ") || "none";
    throw new ModelError(
      "no_key",
      `${file ?? "accounts.json"} has no account ${JSON.stringify(name)}; it has: ${known}`,
    );
  }
  return {
    key: (provider) => {
      const key = (account as { readonly [provider: string]: unknown } | undefined)?.[provider];
      return typeof key === "string" && key !== "" ? key : undefined;
    },
  };
}

function accountFile(env: Environment): string | undefined {
  const home = env["HOME"] ?? env["USERPROFILE"];
  const folder = env["XDG_CONFIG_HOME"] || (home && join(home, ".config"));
  return folder ? join(folder, "indusvx", "accounts.json") : undefined;
}

function readFile(file: string): { readonly [account: string]: unknown } | undefined {
  try {
    // Windows has no modes of this kind; there the profile folder is private. Untested.
    if (process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0)
      throw new ModelError("no_key", `${file} can be read by other users; run: chmod 600 ${file}`);
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read as never;
    throw new ModelError("no_key", `${file} must be an object of accounts, each with keys by provider`);
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return undefined;
    if (thrown instanceof ModelError) throw thrown;
    throw new ModelError("no_key", `${file} cannot be read: ${describeError(thrown)}`);
  }
}
