export { onStreamEnd } from "./on-stream-end.ts";
export { wholeCharactersEnd, wholeCharactersStart } from "./text/utf8-edges.ts";
