export {
  type BridgeOptions,
  type MountedProtocolBridge,
  mountProtocolBridge,
} from "./mount-protocol-bridge.ts";
