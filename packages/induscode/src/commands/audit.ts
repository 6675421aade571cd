import type { Run } from "../boot/internal.ts";
import type { AuditRequest } from "../launch/internal.ts";
import { showCallRecord, showJsonLine } from "../screen/index.ts";
import { followLines } from "./follow-lines.ts";

/** `indus audit`: shows the calls that gateways of the folder served. Starts nothing. */
export async function audit(run: Run, request: AuditRequest): Promise<number> {
  const { terminal, report, signal } = run;
  const { since, lines, follow, json, ...chosen } = request;
  const trail = await run.audit();
  const filter = {
    ...chosen,
    ...(since === undefined
      ? {}
      : { sinceMs: "at" in since ? Date.parse(since.at) : Date.now() - since.agoMs }),
  };
  const next = follow ? trail.follow(filter) : undefined;
  const found = trail.read(filter);
  if (found.length === 0 && !follow)
    report(
      trail.read().length === 0
        ? "no gateway of this folder has served a call yet; indus serve starts one"
        : "no recorded call fits",
    );
  const print = (records: typeof found): void => {
    for (const record of records)
      terminal.out(json ? showJsonLine(record) : showCallRecord(record, terminal.outLook));
  };
  print(found.slice(-lines));
  if (next) await followLines(() => print(next()), signal);
  return 0;
}
