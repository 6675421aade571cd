export type { MessageTransport, RpcMessage, SendOptions } from "../contract/index.ts";
