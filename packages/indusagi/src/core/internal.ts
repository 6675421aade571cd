export { tellingEnd } from "./telling-end.ts";
export { wholeCharactersEnd, wholeCharactersStart } from "./text/utf8-edges.ts";
