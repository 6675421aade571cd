import type { TokenRecord } from "./token-record.ts";

/** The principal of the token in a variable, and of one that is made for a run. It may use everything. */
export const OWNER = "owner";

/**
 * The principal of a token. It has the id too, which no later token of the same name has: a session that was opened with a
 * revoked token must not become one of its successor, which may be allowed less.
 */
export function principalOf({ name, id }: Pick<TokenRecord, "name" | "id">): string {
  return `${name}#${id}`;
}

/** The name and the id of the token in a principal. The owner has no id. */
export function tokenIn(principal: string): { readonly name: string; readonly id?: string } {
  const at = principal.lastIndexOf("#");
  return at < 0 ? { name: principal } : { name: principal.slice(0, at), id: principal.slice(at + 1) };
}
