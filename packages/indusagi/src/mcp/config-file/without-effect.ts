import type { ConfigDiagnostic, ConfigRow } from "../../config/index.ts";
import { escapeForDisplay } from "../../core/index.ts";
import { DEFAULT_TIMEOUT, requestTimes } from "../client/index.ts";

const TIMES = ["connectMs", "listMs", "totalMs"] as const;

/** What a row says and this facade cannot do: a client has one timeout, and a pool does without whoever is not there. */
export function withoutEffect({ config, source }: ConfigRow): readonly ConfigDiagnostic[] {
  const { id, timeouts = {}, required, share = "fleet" } = config;
  const { timeoutMs, totalMs } = requestTimes(timeouts.callMs ?? DEFAULT_TIMEOUT);
  const used = { connectMs: timeoutMs, listMs: timeoutMs, totalMs };
  const messages = [
    ...TIMES.filter((name) => timeouts[name] !== undefined && timeouts[name] !== used[name]).map(
      (name) => `"timeouts.${name}" has no effect here; "timeout" is the time for everything`,
    ),
    ...(required ? ['"required" has no effect here; the status of the pool says who is not there'] : []),
    ...(share === "fleet"
      ? []
      : ['"share" has no effect here; make a client of its own for whoever needs one']),
  ];
  const { scope: _, ...place } = source;
  return messages.map((what) => ({
    ...place,
    severity: "warning",
    path: [],
    message: `server "${escapeForDisplay(id)}": ${what}`,
  }));
}
