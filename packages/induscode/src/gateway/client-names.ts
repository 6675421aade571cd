import type { ClientInfo } from "indusagi/runtime";

/**
 * Whether a client has one of these names, in lower case with `-` for spaces. A name that ends in `*` is a prefix.
 */
export function isClient(client: ClientInfo | undefined, names: readonly string[]): boolean {
  const own = client?.name.toLowerCase().replaceAll(" ", "-") ?? "";
  return names.some((name) => (name.endsWith("*") ? own.startsWith(name.slice(0, -1)) : own === name));
}
