import type { TokenRecord } from "./token-record.ts";

/** The principal of the `--token-env` token, and of one made for a run. It may use everything. */
export const OWNER = "owner";

/**
 * The principal of a token. It includes the id, because a later token may reuse the name: a session of a revoked token must not
 * pass to its successor.
 */
export function principalOf({ name, id }: Pick<TokenRecord, "name" | "id">): string {
  return `${name}#${id}`;
}

/** The token's name and id in a principal. The owner has no id. */
export function tokenIn(principal: string): { readonly name: string; readonly id?: string } {
  const at = principal.lastIndexOf("#");
  return at < 0 ? { name: principal } : { name: principal.slice(0, at), id: principal.slice(at + 1) };
}
