export { openSessionTools } from "./build-session-tools.ts";
