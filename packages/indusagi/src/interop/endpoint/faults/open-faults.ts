import { showDuration } from "../../../core/index.ts";
import type { Redactor } from "../../../core/internal.ts";
import { ProtocolFault, type ServerConfig } from "../../contract/index.ts";
import { faultAt } from "./error-faults.ts";
import { missingProgram } from "./missing-program.ts";
import { type ProcessRemains, processSummary } from "./process-remains.ts";

interface FailedOpening {
  readonly config: ServerConfig;
  readonly remains: ProcessRemains;
  /** What is wrong with the standard output, or the empty text. */
  readonly printed: string;
  readonly redactor: Redactor;
}

/** The fault of a server that was not connected in time. */
export function connectTimeout(
  { config, remains, printed }: Omit<FailedOpening, "redactor">,
  connectMs: number,
): ProtocolFault {
  const { id: server } = config;
  const late = `did not connect within ${showDuration(connectMs)}`;
  const message = `server "${server}" ${late}${processSummary(remains)}${asEnd(printed)}`;
  return new ProtocolFault("timeout", message, { server, retrySafe: true, ...remains });
}

/** The fault of a server that could not be opened: its process ended, or an error was thrown. */
export function openFault(
  { config, remains, printed, redactor }: FailedOpening,
  thrown: unknown,
): ProtocolFault {
  const { id: server } = config;
  const install = missingProgram(config, thrown);
  const details = { retrySafe: true, ...remains, ...(install === undefined ? {} : { install }) };
  const kind = config.kind === "stdio" ? "spawn_failed" : "transport";
  const doing = remains.exit ? "exited before it was connected" : "could not be opened";
  return faultAt({ server, kind, doing, end: asEnd(printed), details, redactor }, thrown);
}

function asEnd(text: string): string {
  return text === "" ? "" : `; ${text}`;
}
