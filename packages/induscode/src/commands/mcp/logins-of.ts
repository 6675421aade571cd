import type { LoginStatus, ServerConfig } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";

/** Who is logged in at which server. Nobody if the logins cannot be read: the state of the server says the rest. */
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
