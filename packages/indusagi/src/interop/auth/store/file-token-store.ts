import { join } from "node:path";
import {
  contentHash,
  errorCode,
  KeyedQueue,
  Listeners,
  readPrivateText,
  replaceFileAsync,
  withFileLock,
} from "../../../core/index.ts";
import { definedMembers, isRecord } from "../../../core/internal.ts";
import type {
  LoginRecord,
  StoredJson,
  StoredLogin,
  TokenAccount,
  TokenKey,
  TokenSet,
  TokenStore,
} from "../../contract/index.ts";
import { AuthError } from "../auth-error.ts";

export interface FileTokenStoreOptions {
  /** How long a step waits for a step in another process. A renewal takes one or two requests. Default 60 s. */
  readonly waitMs?: number;
  /** How often a watched folder is polled, in milliseconds. Default 1000. */
  readonly pollMs?: number;
}

/**
 * A store in a folder that only its owner can read: one file per key, replaced atomically. File names are hashes, so no URL or
 * name becomes part of a path.
 */
export function createFileTokenStore(folder: string, options: FileTokenStoreOptions = {}): TokenStore {
  const { waitMs = 60_000, pollMs = 1000 } = options;
  return {
    find: async (account) => {
      const names = (await filesIn(folder)).filter((name) => name.startsWith(`${prefixOf(account)}-`));
      const logins = names.map((name) => readLogin(join(folder, name)));
      return logins
        .flatMap((login) => (login && belongsTo(login, account) ? [login] : []))
        .sort((a, b) => b.record.savedAtMs - a.record.savedAtMs);
    },
    save: async (key: TokenKey, record: LoginRecord) => {
      await makePrivate(folder);
      const content = Buffer.from(writeLogin({ key, record }));
      await replaceFileAsync({ path: join(folder, fileOf(key)), content, mode: 0o600 });
    },
    remove: async (key) => {
      const { rm } = process.getBuiltinModule("node:fs/promises");
      await rm(join(folder, fileOf(key)), { force: true });
    },
    exclusive: async (account, step) => {
      await makePrivate(folder);
      return withFileLock({ folder, name: prefixOf(account) }, { waitMs }, step);
    },
    watch: (_account, listener) => watchFolder(folder, pollMs, listener),
  };
}

function prefixOf({ server, principal }: TokenAccount): string {
  return contentHash([server, principal]).slice(0, 32);
}

function fileOf(key: TokenKey): string {
  return `${prefixOf(key)}-${contentHash(key.issuer).slice(0, 16)}.json`;
}

/** Checks the content too, because an attacker could craft two accounts with the same hash. */
function belongsTo({ key }: StoredLogin, { server, principal }: TokenAccount): boolean {
  return key.server === server && key.principal === principal;
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const { readdir } = process.getBuiltinModule("node:fs/promises");
  const names = await readdir(folder).catch(noneIfAbsent);
  return names.filter((name) => name.endsWith(".json"));
}

function noneIfAbsent(thrown: unknown): string[] {
  if (errorCode(thrown) === "ENOENT") return [];
  throw thrown;
}

/**
 * A file that has disappeared or is not a login is ignored. One that another user may have written is an error: its tokens would
 * send our requests under another identity, and a new login in its place would hide that.
 */
function readLogin(path: string): StoredLogin | undefined {
  const reading = readPrivateText(path);
  if ("text" in reading) return parseLogin(reading.text);
  if (reading.isAbsent) return undefined;
  throw new AuthError("unsafe", `the login file ${path} ${reading.problem}`, {
    login: "if you removed it, log in again",
  });
}

async function makePrivate(folder: string): Promise<void> {
  await process.getBuiltinModule("node:fs/promises").mkdir(folder, { recursive: true, mode: 0o700 });
}

/** Polls the folder: unlike notifications, this works on every file system. */
function watchFolder(folder: string, interval: number, listener: () => void): () => void {
  const { watchFile, unwatchFile } = process.getBuiltinModule("node:fs");
  const onChange = (): void => listener();
  watchFile(folder, { interval, persistent: false }, onChange);
  return () => unwatchFile(folder, onChange);
}

/** The version of the file format. Files of other versions are not read. */
const VERSION = 1;

function writeLogin({ key, record }: StoredLogin): string {
  return `${JSON.stringify({ version: VERSION, ...key, ...record }, undefined, 2)}\n`;
}

/** The login in a file; `undefined` if the text is not one. */
function parseLogin(text: string): StoredLogin | undefined {
  const file = objectIn(text);
  if (file?.["version"] !== VERSION) return undefined;
  const { server, issuer, principal, client, savedAtMs, metadata, refreshRefused } = file;
  if (!isText(server) || !isText(issuer) || !isText(principal) || !isRecord(client)) return undefined;
  const record: LoginRecord = definedMembers({
    client,
    savedAtMs: isNumber(savedAtMs) ? savedAtMs : 0,
    redirectUrl: textOf(file["redirectUrl"]),
    resource: textOf(file["resource"]),
    account: textOf(file["account"]),
    wantedScope: textOf(file["wantedScope"]),
    refreshRefused: refreshRefused === true ? (true as const) : textOf(refreshRefused),
    metadata: isRecord(metadata) ? metadata : undefined,
    tokens: parseTokens(file["tokens"]),
  });
  return { key: { server, issuer, principal }, record };
}

function parseTokens(value: unknown): TokenSet | undefined {
  if (!isRecord(value)) return undefined;
  const { accessToken, obtainedAtMs, expiresAtMs } = value;
  if (!isText(accessToken)) return undefined;
  return definedMembers({
    accessToken,
    obtainedAtMs: isNumber(obtainedAtMs) ? obtainedAtMs : 0,
    refreshToken: textOf(value["refreshToken"]),
    scope: textOf(value["scope"]),
    expiresAtMs: isNumber(expiresAtMs) ? expiresAtMs : undefined,
  });
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

function textOf(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A store that lasts as long as the process. */
export function createMemoryTokenStore(): TokenStore {
  const logins = new Map<string, StoredLogin>();
  const queue = new KeyedQueue();
  const changes = new Listeners<TokenAccount>();
  const changed = (key: TokenKey): void => changes.emit(key);
  return {
    find: async (account) =>
      [...logins.values()]
        .filter(({ key }) => isSame(key, account))
        .sort((a, b) => b.record.savedAtMs - a.record.savedAtMs),
    save: async (key: TokenKey, record: LoginRecord) => {
      logins.set(nameOf(key), { key, record });
      changed(key);
    },
    remove: async (key) => {
      logins.delete(nameOf(key));
      changed(key);
    },
    exclusive: ({ server, principal }, step) => queue.run(JSON.stringify([server, principal]), step),
    watch: (account, listener) =>
      changes.add((key) => {
        if (isSame(key, account)) listener();
      }),
  };
}

function isSame(a: TokenAccount, b: TokenAccount): boolean {
  return a.server === b.server && a.principal === b.principal;
}

function nameOf({ server, issuer, principal }: TokenKey): string {
  return JSON.stringify([server, issuer, principal]);
}
