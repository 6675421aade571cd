import type { Redactor } from "../../../core/internal.ts";
import { ProtocolFault, type ServerConfig } from "../../contract/index.ts";
import { faultAt } from "./error-faults.ts";
import { missingProgram } from "./missing-program.ts";
import { type ProcessRemains, processSummary } from "./process-remains.ts";

/** The fault of a server that was not connected in time. */
export function connectTimeout(
  config: ServerConfig,
  remains: ProcessRemains,
  connectMs: number,
): ProtocolFault {
  const message = `server "${config.id}" did not connect within ${connectMs / 1000} s${processSummary(remains)}`;
  return new ProtocolFault("timeout", message, { server: config.id, retrySafe: true, ...remains });
}

interface FailedOpening {
  readonly config: ServerConfig;
  readonly remains: ProcessRemains;
  readonly redactor: Redactor;
}

/** The fault of a server that could not be opened: its process ended, or an error was thrown. */
export function openFault({ config, remains, redactor }: FailedOpening, thrown: unknown): ProtocolFault {
  const { id: server } = config;
  const install = missingProgram(config, thrown);
  const details = { retrySafe: true, ...remains, ...(install === undefined ? {} : { install }) };
  const kind = config.kind === "stdio" ? "spawn_failed" : "transport";
  const doing = remains.exit ? "exited before it was connected" : "could not be opened";
  return faultAt({ server, kind, doing, details, redactor }, thrown);
}
