// For the rooms of this package only. Heavy parts are loaded when they are called.
import type * as replay from "./run/box-replay.ts";
import type * as ledger from "./run/ledger-records.ts";

export { demoServers } from "./demo-servers.ts";
export { firstOf } from "./first-of.ts";
export { backgroundGatewayLaunch, httpGatewayLaunch, stdioGatewayLaunch } from "./gateway-launch.ts";
export { productVersion } from "./product-version.ts";
export { createCloseStack } from "./run/close-stack.ts";
export type { LedgerRecords, WaitingChange } from "./run/ledger-records.ts";
export { openRun, type Run, type RunOptions } from "./run/open-run.ts";
export type { RunLedger } from "./run/run-ledger.ts";
export type { SharedState } from "./run/run-state.ts";
export { shutdownSignal } from "./run/shutdown-signal.ts";
export { workspaceAudit, workspaceLogs, workspaceTokens } from "./run/workspace-records.ts";
export { openNativeTools } from "./tools/open-native-tools.ts";

export const ledgerRecords: typeof ledger.ledgerRecords = async (...given) =>
  (await import("./run/ledger-records.ts")).ledgerRecords(...given);

export const boxReplay = async (
  ...given: Parameters<typeof replay.createBoxReplay>
): Promise<replay.BoxReplay> => (await import("./run/box-replay.ts")).createBoxReplay(...given);
