export { bridgeBox, withVariants } from "./bridge-box.ts";
export {
  type BridgeOptions,
  type MountedProtocolBridge,
  mountProtocolBridge,
} from "./mount-protocol-bridge.ts";
export { answeredRemotely } from "./mounted-tool.ts";
