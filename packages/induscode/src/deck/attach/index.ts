export { type AttachResult, attachBridgeCapabilities, detachBridge } from "./attach-bridge.ts";
export { bridgeCapabilityCard, bridgeStatus, bridgeToolCounts, bridgeToolNames } from "./bridge-readers.ts";
export { type FollowOptions, followBridgeBox, type LiveBridge, prepareTools } from "./follow-bridge-box.ts";
