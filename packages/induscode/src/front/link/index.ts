export { runLink } from "./run-link.ts";
