import type { Redactor } from "../../core/internal.ts";
import type { LoginRecord, StoredLogin, TokenAccount, TokenKey, TokenStore } from "../contract/index.ts";

/** The login of one account: in memory for each request, in the store for other processes and the next start. */
export class LoginBook {
  readonly account: TokenAccount;
  readonly store: TokenStore;
  readonly #redactor: Redactor;
  #login: StoredLogin | undefined;

  constructor(account: TokenAccount, store: TokenStore, redactor: Redactor) {
    this.account = account;
    this.store = store;
    this.#redactor = redactor;
  }

  /** The login as it was read last; read now if there was none. */
  async current(): Promise<StoredLogin | undefined> {
    return this.#login ?? this.reload();
  }

  async reload(): Promise<StoredLogin | undefined> {
    const [newest] = await this.store.find(this.account);
    this.#keep(newest);
    return newest;
  }

  /** Kept in memory first: if it cannot be stored, this process can still use it. */
  async save(key: TokenKey, record: LoginRecord): Promise<void> {
    this.#keep({ key, record });
    await this.store.save(key, record);
  }

  async forget(): Promise<void> {
    for (const { key } of await this.store.find(this.account)) await this.store.remove(key);
    this.#login = undefined;
  }

  #keep(login: StoredLogin | undefined): void {
    this.#login = login;
    const { accessToken, refreshToken } = login?.record.tokens ?? {};
    const secret = login?.record.client["client_secret"];
    for (const value of [accessToken, refreshToken, secret])
      if (typeof value === "string") this.#redactor.add(value);
  }
}
