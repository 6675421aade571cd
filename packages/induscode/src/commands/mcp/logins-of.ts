import type { LoginStatus, ServerConfig } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";

/** The logins by server. Empty if they cannot be read: the state of a server shows that it needs one. */
export async function loginsOf(
  run: Run,
  configs: readonly ServerConfig[],
): Promise<ReadonlyMap<string, LoginStatus>> {
  if (configs.every(({ kind }) => kind === "stdio")) return new Map();
  try {
    return await (await run.logins()).statuses(configs);
  } catch {
    return new Map();
  }
}
