import { shellWord } from "indusagi/core";
import {
  createFileTokenStore,
  type LoginStatus,
  loginStatus,
  type OAuthProvider,
  oauthProviderFor,
  type ServerConfig,
  type TokenStore,
} from "indusagi/interop";

/** The user's logins, shared by all workspaces: a login belongs to the URL of a server. */
export interface ServerLogins {
  readonly store: TokenStore;
  /** The tokens for a server. Never opens a browser: without a login, the error names the command that logs in. */
  providerFor(config: ServerConfig): OAuthProvider | undefined;
  /** Who is logged in at which server, and until when, by server id. */
  statuses(configs: readonly ServerConfig[]): Promise<ReadonlyMap<string, LoginStatus>>;
}

interface ServerLoginsOptions {
  /** See `OAuthProviderOptions`. Called once with each problem, however many servers have it. */
  readonly note: (message: string) => void;
  /** What the command that logs in needs besides the name of the server. */
  readonly options?: string | undefined;
}

/** `place`: where they are stored, in a folder of this machine if it is a path. */
export function createServerLogins(
  place: string | TokenStore,
  { note, options = "" }: ServerLoginsOptions,
): ServerLogins {
  const store = typeof place === "string" ? createFileTokenStore(place) : place;
  const noted = new Set<string>();
  const noteOnce = (message: string): void => {
    if (!noted.has(message)) note(message);
    noted.add(message);
  };
  return {
    store,
    providerFor: (config) =>
      oauthProviderFor(config, {
        store,
        loginHint: `log in with: indus mcp login ${shellWord(config.id)}${options}`,
        note: noteOnce,
      }),
    statuses: async (configs) => {
      const found = configs.map(async (config) => {
        if (config.kind === "stdio" || !oauthProviderFor(config)) return [];
        const status = await loginStatus(store, config.url).catch(() => undefined);
        return status ? [[config.id, status] as const] : [];
      });
      return new Map((await Promise.all(found)).flat());
    },
  };
}
