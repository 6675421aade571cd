export type { AskOptions } from "./ask.ts";
export { fileSaver } from "./file-saver.ts";
export { type AreaCursor, liveArea } from "./live-area.ts";
export { openLog } from "./open-log.ts";
export { readInput } from "./read-input.ts";
export { type KeyInput, processTerminal, type Terminal, withMessages, withoutColours } from "./terminal.ts";
export { progressLine, waitingLine } from "./waiting-line.ts";
