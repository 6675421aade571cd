export { plainEvent } from "./plain-event.ts";
export { type LinkOptions, type LinkSession, runLink } from "./run-link.ts";
