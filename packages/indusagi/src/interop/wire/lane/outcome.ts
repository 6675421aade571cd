import { showDuration } from "../../../core/index.ts";
import { ProtocolFault, type RpcMessage } from "../../contract/index.ts";

/** How a request ended. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** The outcome in an answer; `undefined` if it has both a result and an error. */
export function outcomeOf(message: RpcMessage, server: string, method: string): Outcome | undefined {
  if (isObject(message.error) && isObject(message.result)) return undefined;
  if (isObject(message.error)) {
    const { code, message: text, data } = message.error;
    const rpc = { code, message: text, ...(data === undefined ? {} : { data }) };
    return {
      error: new ProtocolFault("tool_error", `server "${server}" refused ${method}: ${rpc.message}`, {
        server,
        rpc,
      }),
    };
  }
  if (isObject(message.result)) return { result: message.result };
  return {
    error: new ProtocolFault("protocol", `server "${server}" answered ${method} without a result`, {
      server,
    }),
  };
}

/** The stream on which the answer was to come has ended. */
export function streamEnded(server: string, method: string): ProtocolFault {
  const message = `server "${server}" ended the stream of ${method} before it had answered`;
  return new ProtocolFault("transport", message, { server });
}

export function notAnswered(server: string, method: string, withinMs: number): ProtocolFault {
  const message = `server "${server}" did not answer ${method} within ${showDuration(withinMs)}`;
  return new ProtocolFault("timeout", message, { server });
}

function isObject<Value>(value: Value | undefined | null): value is Value & object {
  return typeof value === "object" && value !== null;
}
