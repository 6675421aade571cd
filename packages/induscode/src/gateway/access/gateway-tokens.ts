import { join } from "node:path";
import { isoTime } from "indusagi/core";
import { type JsonFile, openJsonFile, type StoreReading } from "../../state/index.ts";
import {
  AccessError,
  mintToken,
  TOKEN_FILE,
  type TokenGrant,
  type TokenRecord,
  type TokenRecords,
} from "./token-record.ts";

/** The tokens of one folder's gateways. Several processes may use the file at the same time. */
export interface GatewayTokens {
  /** All tokens, oldest first. Reads the file again if it has changed. Throws if the file is unusable. */
  list(): readonly TokenRecord[];
  /** The token with this id; undefined if it does not exist or was revoked. Throws like `list`. */
  find(id: string): TokenRecord | undefined;
  /** Makes a token. Its text is returned here and not stored. Rejects if the name is taken. */
  add(name: string, grant: TokenGrant): Promise<AddedToken>;
  /** Removes the tokens with these names or ids. If one is unknown, rejects and removes nothing. */
  revoke(names: readonly string[]): Promise<readonly TokenRecord[]>;
}

export interface AddedToken {
  readonly record: TokenRecord;
  readonly token: string;
}

/** Limited because the gateway keeps a box for each token in use. */
const MAX_TOKENS = 1_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** The tokens in a state folder. Creates nothing before the first token. */
export function openTokenStore(folder: string): GatewayTokens {
  return new TokenFile(openJsonFile(join(folder, "tokens.json"), TOKEN_FILE));
}

class TokenFile implements GatewayTokens {
  readonly #file: JsonFile<TokenRecords>;

  constructor(file: JsonFile<TokenRecords>) {
    this.#file = file;
  }

  list(): readonly TokenRecord[] {
    return [...this.#records().values()];
  }

  find(id: string): TokenRecord | undefined {
    return this.#records().get(id);
  }

  async add(name: string, grant: TokenGrant): Promise<AddedToken> {
    if (!NAME.test(name))
      throw new AccessError(
        "bad_name",
        `${JSON.stringify(name)} is not a valid token name; use up to 64 characters of A–Z a–z 0–9 . _ @ -`,
      );
    const { id, token, hash } = mintToken();
    const record = { id, name, hash, createdAt: isoTime(), ...grant };
    await this.#file.update((now) => {
      const records = this.#usable(now);
      if ([...records.values()].some((other) => other.name === name))
        throw new AccessError(
          "bad_name",
          `there is already a token named ${name}; revoke it first, or choose another name`,
        );
      if (records.size >= MAX_TOKENS)
        throw new AccessError("bad_name", `there are ${MAX_TOKENS} tokens; revoke unused ones`);
      return new Map([...records, [id, record]]);
    });
    return { record, token };
  }

  async revoke(names: readonly string[]): Promise<readonly TokenRecord[]> {
    const isNamed = ({ id, name }: TokenRecord): boolean => names.includes(name) || names.includes(id);
    let revoked: readonly TokenRecord[] = [];
    await this.#file.update((now) => {
      const records = this.#usable(now);
      revoked = [...records.values()].filter(isNamed);
      const unknown = names.find(
        (name) => !revoked.some((record) => [record.id, record.name].includes(name)),
      );
      if (unknown !== undefined)
        throw new AccessError(
          "bad_name",
          `there is no token named ${JSON.stringify(unknown)}; indus token list shows them`,
        );
      return new Map([...records].filter(([, record]) => !isNamed(record)));
    });
    return revoked;
  }

  /** Checks the file every time, which costs microseconds: a revoked token is refused immediately. */
  #records(): TokenRecords {
    return this.#usable(this.#file.current());
  }

  /** While the file is unusable, no token is accepted and none is added: writing would lose the others. */
  #usable(reading: StoreReading<TokenRecords>): TokenRecords {
    if ("value" in reading) return reading.value ?? new Map();
    const message = `the token file ${this.#file.path} ${reading.problem}`;
    throw new AccessError("unusable_file", message);
  }
}
