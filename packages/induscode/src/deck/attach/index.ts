export { type AttachResult, attachBridgeCapabilities, detachBridge } from "./attach-bridge.ts";
export { bridgeCapabilityCard, bridgeStatus, bridgeToolCounts, bridgeToolNames } from "./bridge-readers.ts";
export { type FollowOptions, followBridgeBox, type LiveBridge } from "./follow-bridge-box.ts";
export { prepareTools } from "./prepare-tools.ts";
