import type { TokenRecord } from "./token-record.ts";

/** A line for each token that names a server which is not served, usually a misspelt name. */
export function unknownServers(tokens: readonly TokenRecord[], served: readonly string[]): readonly string[] {
  const known = served.length === 0 ? "there is none" : `the servers are ${served.join(", ")}`;
  return tokens.flatMap(({ name, servers = [] }) => {
    const missing = servers.filter((id) => !served.includes(id));
    if (missing.length === 0) return [];
    return [`token ${name} allows ${missing.join(", ")}, which is not served here; ${known}`];
  });
}
