// For the start of every command: loads no part of the framework.
export { hasColours, type Look, paint, type Style } from "./colour.ts";
export { displayWidth, fitWidth, splitWidth } from "./text/display-width.ts";
export { foldLine } from "./text/fold-line.ts";
export { joinerPositions, withoutJoiners } from "./text/joined-pictures.ts";
export { wrapMessage } from "./wrapped.ts";
