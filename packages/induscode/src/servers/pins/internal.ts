// For the rooms of this package only.
export { openPinsIn } from "./open-pins.ts";
export type { ServerPins } from "./pin.ts";
export { PIN_FILE } from "./pin-file.ts";
export { type PinFile, type PinStore, pinFileName, pinFolder } from "./pin-store.ts";
export { serverSource } from "./server-source.ts";
