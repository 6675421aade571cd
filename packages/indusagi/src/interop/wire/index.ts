export { EventScanner } from "./event-scanner.ts";
export { textOf } from "./frames/frame-reader.ts";
export { MessageScanner } from "./frames/message-scanner.ts";
export { readAnswer } from "./frames/read-answer.ts";
export { CallTraffic } from "./lane/call-traffic.ts";
export {
  type AnswerHolder,
  type AnswerKeeper,
  KeptResult,
  keepAnswer,
  LARGE_BYTES,
} from "./lane/kept-result.ts";
export { type LaneOptions, type LaneRequest, type Reply, RpcLane } from "./lane/rpc-lane.ts";
export { linkedTransports } from "./linked-transports.ts";
export { RpcCode, RpcFailure, upstreamFailure } from "./rpc-errors.ts";
export {
  type LaunchPlace,
  MAX_MESSAGE_BYTES,
  StdioTransport,
  type StdioTransportOptions,
} from "./stdio-client.ts";
export { StdioWire } from "./stdio-server.ts";
export { TappedTransport } from "./tapped-transport.ts";
export { idAsSent, TEXT_IDS, withIdsAsSent } from "./text-ids.ts";
export { WireWatch } from "./wire-watch.ts";
