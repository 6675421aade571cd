import { describeError } from "indusagi/core";
import type { TokenVerifier, VerifiedToken } from "indusagi/interop";
import { principalOf } from "./principal.ts";
import type { TokenRecord } from "./token-record.ts";
import type { TokenStore } from "./token-store.ts";
import { matchesHash, tokenIdIn } from "./token-text.ts";

export interface StoreVerifierOptions {
  readonly store: Pick<TokenStore, "find">;
  /** Tried first: the token of a variable, or one that was made for this run. */
  readonly owner?: TokenVerifier | undefined;
  /** Called when the file of the tokens cannot be used, once until it can be. */
  readonly report: (message: string) => void;
}

/** Accepts the tokens of a store, as the store is now: one that was revoked is refused, also while it is in use. */
export function storeVerifier({ store, owner, report }: StoreVerifierOptions): TokenVerifier {
  let reported: string | undefined;
  /** While the file cannot be used, no token is accepted. */
  const found = (token: string): TokenRecord | undefined => {
    const id = tokenIdIn(token);
    if (id === undefined) return undefined;
    try {
      const record = store.find(id);
      reported = undefined;
      return record && matchesHash(token, record.hash) ? record : undefined;
    } catch (thrown) {
      const message = describeError(thrown);
      if (message !== reported) report(`no token is accepted: ${message}`);
      reported = message;
      return undefined;
    }
  };
  const verify = async (token: string): Promise<VerifiedToken | undefined> => {
    const owned = await owner?.verify(token);
    if (owned) return owned;
    const record = found(token);
    // Made for the gateways of this folder: it is in no other store.
    return record && { principal: principalOf(record), audience: "any" };
  };
  return { verify, recheck: async (token) => (await verify(token)) !== undefined };
}
