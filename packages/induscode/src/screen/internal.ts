// For the start of every command: loads no part of the framework.
export { hasColours, type Look, paint, type Style } from "./colour.ts";
export { displayWidth, fitWidth, joinerPositions, splitWidth, withoutJoiners } from "./text/display-width.ts";
export { foldLine } from "./text/fold-line.ts";
export { wrapMessage } from "./wrapped.ts";
