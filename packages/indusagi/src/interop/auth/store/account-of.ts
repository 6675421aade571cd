import type { TokenAccount } from "../../contract/index.ts";

/** The account of a user at a server. */
export function accountOf(serverUrl: URL, principal: string): TokenAccount {
  const server = new URL(serverUrl);
  server.username = server.password = server.search = server.hash = "";
  return { server: server.href, principal };
}
