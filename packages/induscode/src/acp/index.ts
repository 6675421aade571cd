export type { OpenedAcpSession } from "./acp-session.ts";
export { type AcpOpening, type AcpOptions, runAcp } from "./run-acp.ts";
