import { isRecord } from "../../core/index.ts";
import type { RpcMessage } from "../contract/index.ts";

/** The note about a server that returns our ids as strings. */
export const TEXT_IDS =
  'it returns request ids as strings ("7" instead of 7); this is accepted here, but a strict client would never see its answers';

/** The id of a request: a number that came back as its exact decimal string counts as the number. */
export function idAsSent<Id>(id: Id): Id | number {
  return typeof id === "string" && /^(?:0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id;
}

/**
 * Restores our numeric ids in a message from a server that returns them as strings. Such a server violates JSON-RPC but works
 * with other clients. Every id we send is a number or a non-numeric string, so this is unambiguous. Returns the same message
 * if there is nothing to change. Ids of the server's own requests are not changed.
 */
export function withIdsAsSent(message: RpcMessage): RpcMessage {
  const { id, method, params } = message;
  if (method === undefined) {
    if (typeof id !== "string") return message;
    const sent = idAsSent(id);
    return sent === id ? message : { ...message, id: sent };
  }
  if (method !== "notifications/progress" || !isRecord(params)) return message;
  const token = params["progressToken"];
  if (typeof token !== "string") return message;
  const sent = idAsSent(token);
  return sent === token ? message : { ...message, params: { ...params, progressToken: sent } };
}
