import { statSync } from "node:fs";
import { join } from "node:path";
import { isoTime, readPrivateText, replaceFileSync, withFileLock } from "indusagi/core";
import { AccessError } from "./access-error.ts";
import { parseRecords, recordsText, type TokenGrant, type TokenRecord } from "./token-record.ts";
import { mintToken } from "./token-text.ts";

/** The tokens of the gateways of one folder. Several processes may use one file at the same time. */
export interface TokenStore {
  /** All tokens, the oldest first. Looks at the file again if it has changed. Throws if the file cannot be used. */
  list(): readonly TokenRecord[];
  /** The token with this id; undefined if it does not exist or was revoked. Throws like `list`. */
  find(id: string): TokenRecord | undefined;
  /** Makes a token. Its text is returned here and kept nowhere. Rejects if the name is taken. */
  add(name: string, grant: TokenGrant): Promise<AddedToken>;
  /** Removes the tokens with these names or ids. Rejects, and removes nothing, if there is one without a token. */
  revoke(names: readonly string[]): Promise<readonly TokenRecord[]>;
}

export interface AddedToken {
  readonly record: TokenRecord;
  readonly token: string;
}

const FILE = "tokens.json";
const LOCK_MS = 5_000;
/** Each token that is used has a box of its own in the gateway. */
const MAX_TOKENS = 1_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** The tokens in a state folder. Nothing is created before the first token. */
export function openTokenStore(folder: string): TokenStore {
  return new TokenFile(folder);
}

class TokenFile implements TokenStore {
  readonly #folder: string;
  readonly #path: string;
  #mark: string | undefined;
  #records: ReadonlyMap<string, TokenRecord> = new Map();

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, FILE);
  }

  list(): readonly TokenRecord[] {
    this.#refresh();
    return [...this.#records.values()];
  }

  find(id: string): TokenRecord | undefined {
    this.#refresh();
    return this.#records.get(id);
  }

  async add(name: string, grant: TokenGrant): Promise<AddedToken> {
    if (!NAME.test(name))
      throw new AccessError(
        "bad_name",
        `${JSON.stringify(name)} cannot be the name of a token; use up to 64 characters of A–Z a–z 0–9 . _ @ -`,
      );
    return this.#change((records) => {
      if (records.some((record) => record.name === name))
        throw new AccessError(
          "bad_name",
          `there is a token named ${name}; revoke it first, or choose another name`,
        );
      if (records.length >= MAX_TOKENS)
        throw new AccessError("bad_name", `there are ${MAX_TOKENS} tokens; revoke those that are not used`);
      const { id, token, hash } = mintToken();
      const record = { id, name, hash, createdAt: isoTime(), ...grant };
      return { records: [...records, record], result: { record, token } };
    });
  }

  async revoke(names: readonly string[]): Promise<readonly TokenRecord[]> {
    const isNamed = ({ id, name }: TokenRecord): boolean => names.includes(name) || names.includes(id);
    return this.#change((records) => {
      const revoked = records.filter(isNamed);
      const unknown = names.find(
        (name) => !revoked.some((record) => [record.id, record.name].includes(name)),
      );
      if (unknown !== undefined)
        throw new AccessError(
          "bad_name",
          `there is no token named ${JSON.stringify(unknown)}; indus token list shows them`,
        );
      return { records: records.filter((record) => !isNamed(record)), result: revoked };
    });
  }

  /** One change at a time among all processes, so that none is lost. */
  #change<Result>(
    change: (records: readonly TokenRecord[]) => {
      readonly records: readonly TokenRecord[];
      readonly result: Result;
    },
  ): Promise<Result> {
    return withFileLock({ folder: this.#folder, name: FILE }, { waitMs: LOCK_MS }, () => {
      const { records, result } = change(this.list());
      replaceFileSync({ path: this.#path, content: Buffer.from(recordsText(records)), mode: 0o600 });
      this.#mark = undefined;
      return result;
    });
  }

  /** A look at the file costs microseconds, so that a revoked token is refused at once. */
  #refresh(): void {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    const mark = found ? [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(" ") : "";
    if (mark === this.#mark) return;
    const records = found ? this.#read() : [];
    this.#records = new Map(records.map((record) => [record.id, record]));
    this.#mark = mark;
  }

  #read(): readonly TokenRecord[] {
    const reading = readPrivateText(this.#path);
    if ("problem" in reading) {
      if (reading.isAbsent) return [];
      throw this.#unusable(reading.problem);
    }
    const records = parseRecords(reading.text);
    if (!records)
      throw this.#unusable("is damaged, or of a newer version; remove it and add the tokens again");
    return records;
  }

  #unusable(why: string): AccessError {
    return new AccessError("unusable_file", `the file of the tokens ${this.#path} ${why}`);
  }
}
