import { isRecord } from "../../core/index.ts";
import type { RpcMessage } from "../contract/index.ts";

/** The note about a server that repeats our ids as text. */
export const TEXT_IDS =
  'it repeats the ids of requests as text ("7" for 7); that is accepted here, but a strict client waits for its answers in vain';

/** The id of a request: a number that came back as its exact decimal text counts as the number. */
export function idAsSent<Id>(id: Id): Id | number {
  return typeof id === "string" && /^(?:0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id;
}

/**
 * A message of a server that repeats our ids as text, with numbers. Such a server breaks JSON-RPC, but works with other
 * clients. Every id that we send is a number or a text that is no number, so no other request can be meant. Returns the same
 * message if there is nothing to change. Ids of the server's own requests stay as they are.
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
