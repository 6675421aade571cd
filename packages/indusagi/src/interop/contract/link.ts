import type { Caller } from "../../runtime/index.ts";
import type { FaultKind } from "./fault.ts";

/**
 * Members of `_meta` on a link: a connection between two processes of ours that serve the same clients together. One of them talks to
 * the clients, the other owns the server. They are never sent to a client or a server.
 */
export const LinkKey = {
  /** In a request: the client that it is made for, a `LinkedCaller`. */
  CALLER: "dev.indusagi/caller",
  /** In a result: the tool did not answer; a `LinkedFault`. */
  FAULT: "dev.indusagi/fault",
} as const;

/** Who makes a request. */
export type LinkedCaller = Pick<Caller, "key" | "principal" | "isSingle">;

/** Why a call failed. Its message is the text of the result. */
export interface LinkedFault {
  readonly kind: FaultKind;
  readonly retrySafe: boolean;
  readonly reason?: string | undefined;
}

/** The caller in the `_meta` of a request that came over a link. */
export function linkedCallerIn(
  meta: { readonly [key: string]: unknown } | undefined,
): LinkedCaller | undefined {
  const told = meta?.[LinkKey.CALLER] as Partial<LinkedCaller> | undefined;
  if (typeof told?.key !== "string") return undefined;
  const { key, principal, isSingle } = told;
  return { key, ...(principal === undefined ? {} : { principal }), ...(isSingle === true && { isSingle }) };
}

/** Who may continue what a caller began: a later request of the same session or principal, else any that knows its id. */
export function linkedOwner({ key, principal, isSingle }: LinkedCaller): string {
  return principal ?? (isSingle ? "anyone" : key);
}
