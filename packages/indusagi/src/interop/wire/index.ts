export { CallTraffic } from "./call-traffic.ts";
export { EventScanner } from "./event-scanner.ts";
export { linkedTransports } from "./linked-transports.ts";
export { MessageScanner } from "./message-scanner.ts";
export { RpcCode } from "./rpc-codes.ts";
export { type LaneRequest, RpcLane } from "./rpc-lane.ts";
export { StdioTransport, type StdioTransportOptions } from "./stdio-client.ts";
export { StdioWire } from "./stdio-server.ts";
export { TappedTransport } from "./tapped-transport.ts";
