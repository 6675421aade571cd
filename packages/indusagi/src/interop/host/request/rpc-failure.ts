import { CoreError } from "../../../core/index.ts";

/** Becomes the JSON-RPC error of the request it is thrown in, code and data as they are. */
export class RpcFailure extends CoreError<"rpc"> {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super("rpc", message);
    this.code = code;
    this.data = data;
  }
}
