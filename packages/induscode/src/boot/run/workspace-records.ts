import { join } from "node:path";
import type { GatewayTokens } from "../../gateway/index.ts";
import type { AuditRecords } from "../../gateway/operations/audit/index.ts";
import type { ServerLogs } from "../../servers/log/index.ts";
import type { Run } from "./open-run.ts";

// What the runs of a workspace record. Each function rejects with a `StateError` if there is no state folder.

/** The logs of all servers that were ever opened in this workspace. */
export async function workspaceLogs({ state }: Pick<Run, "state">): Promise<ServerLogs> {
  const { path } = await state.folder();
  return (await import("../../servers/log/index.ts")).serverLogs(join(path, "logs"));
}

/** The calls that gateways of this workspace served. */
export async function workspaceAudit({ state }: Pick<Run, "state">): Promise<AuditRecords> {
  const { path } = await state.folder();
  return (await import("../../gateway/operations/audit/index.ts")).openAuditRecords(path);
}

/** The tokens of this workspace. */
export async function workspaceTokens({ state }: Pick<Run, "state">): Promise<GatewayTokens> {
  const { path } = await state.folder();
  return (await import("../../gateway/index.ts")).openTokenStore(path);
}
