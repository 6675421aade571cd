export { tellingEnd } from "./telling-end.ts";
