export { onStreamEnd } from "./signals/on-stream-end.ts";
export { wholeCharactersEnd, wholeCharactersStart } from "./text/utf8-edges.ts";
