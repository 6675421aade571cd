import { KeyedQueue, Listeners } from "../../../core/index.ts";
import type { LoginRecord, StoredLogin, TokenAccount, TokenKey, TokenStore } from "../../contract/index.ts";

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
