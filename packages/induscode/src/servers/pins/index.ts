export {
  approveChanges,
  dropUnusablePins,
  refuseChanges,
  type UnusablePins,
  type WaitingChange,
  type WaitingChanges,
  waitingChanges,
} from "./approve-pins.ts";
export { openPins, type Pins, type PinsOptions, type ReviewedPrompts } from "./open-pins.ts";
