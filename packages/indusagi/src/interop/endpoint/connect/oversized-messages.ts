import { ProtocolFault, type RpcMessage } from "../../contract/index.ts";
import { idAsSent, RpcCode, type RpcLane } from "../../wire/index.ts";

/** A message over the limit, which was dropped. */
export interface OversizedMessage {
  readonly id: number | string | undefined;
  readonly maxBytes: number;
}

/** Fails the requests whose answers were dropped. A message without an id is only noted. */
export class OversizedMessages {
  /** Set when the connection is open. */
  lane: RpcLane | undefined;
  /** Delivers a message to the SDK. */
  deliver: (message: RpcMessage) => void = () => {};
  readonly #server: string;
  readonly #note: (message: string) => void;

  constructor(server: string, note: (message: string) => void) {
    this.#server = server;
    this.#note = note;
  }

  readonly report = ({ id: given, maxBytes }: OversizedMessage): void => {
    const id = idAsSent(given);
    const fault = oversizedFault(this.#server, maxBytes);
    if (typeof id === "number" && this.lane?.fail(id, fault)) return;
    this.#note(fault.message);
    // The SDK may wait for this answer, for example during the handshake.
    const error = { code: RpcCode.INVALID_REQUEST, message: fault.message };
    if (id !== undefined) this.deliver({ jsonrpc: "2.0", id, error });
  };
}

export function oversizedFault(server: string, maxBytes: number): ProtocolFault {
  const message = `server "${server}" sent a message over the limit of ${maxBytes} bytes`;
  return new ProtocolFault("protocol", message, { server });
}
