import { CoreError } from "../../../core/index.ts";

/** Thrown while a request is served: becomes its JSON-RPC error, with this code and data. */
export class RpcFailure extends CoreError<"rpc"> {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super("rpc", message);
    this.code = code;
    this.data = data;
  }
}
