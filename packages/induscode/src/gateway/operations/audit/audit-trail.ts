import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeError } from "indusagi/core";
import { openLineWriter } from "../../../state/lines/index.ts";
import type { CallRecord } from "./call-record.ts";
import { recordLine } from "./record-line.ts";

/** Records each call. Several gateways of a folder write to the same trail. */
export interface AuditTrail extends AsyncDisposable {
  /** Never throws, and does not wait for the disk. */
  record(record: CallRecord): void;
  /** Writes what waits, for a reader in this process. Never throws. */
  flush(): void;
}

export interface AuditTrailOptions {
  /** Called with one line when the trail cannot be written. Calls continue. */
  readonly report: (message: string) => void;
  /** The size of one file; there are at most two. Default: 16 MiB, about 50,000 calls. */
  readonly maxBytes?: number | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** The file of the trail in a state folder. */
export function auditPath(state: string): string {
  return join(state, "audit", "calls.log");
}

/** Opens the trail in a state folder. Throws if its folder cannot be created. */
export function openAuditTrail(
  state: string,
  { report, maxBytes = MAX_BYTES }: AuditTrailOptions,
): AuditTrail {
  const path = auditPath(state);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const writer = openLineWriter({
    maxBytes,
    onFailure: (thrown) =>
      report(`calls are not recorded: the audit trail cannot be written: ${describeError(thrown)}`),
  });
  return {
    record: (record) => writer.append(path, () => recordLine(record)),
    flush: () => writer.flush(),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}
