import type { CallRecord } from "../gateway/operations/audit/internal.ts";
import { isError } from "./activity.ts";
import { type CallQuery, type CallsAnswer, CONSOLE_LIMITS, type ToolTimes } from "./contract.ts";
import type { LiveEvents } from "./live.ts";
import { flushedAudit } from "./overview.ts";
import type { ConsoleSource } from "./source.ts";

const HOUR_MS = 3_600_000;
const SLICES = 60;
const DEFAULT_CALLS = 500;
/** More tools than anybody compares. */
const MAX_TOOLS = 200;

/** The recorded calls that match, and how long each tool took. */
export async function callsAnswer(
  { run }: Pick<ConsoleSource, "run">,
  query: CallQuery,
  live: Pick<LiveEvents, "shapeOf">,
): Promise<CallsAnswer> {
  const { server, tool, principal, outcomes, methods, last = DEFAULT_CALLS } = query;
  const sinceMs = query.sinceMs ?? Date.now() - HOUR_MS;
  const audit = await flushedAudit(run);
  const matching = audit
    .read({ server, tool, principal, outcomes: words(outcomes), methods: words(methods), sinceMs })
    .filter((record) => isMeant(record, query));
  const calls = matching.slice(-Math.min(last, CONSOLE_LIMITS.calls));
  return {
    calls: calls.map((record) => {
      const shape = live.shapeOf(record.id);
      return shape === undefined ? record : { ...record, shape };
    }),
    matching: matching.length,
    tools: toolTimes(matching),
  };
}

function words(list: string | undefined): readonly string[] | undefined {
  return list === undefined || list === "" ? undefined : list.split(",");
}

function isMeant(record: CallRecord, { client, slowerThanMs = 0, untilMs }: CallQuery): boolean {
  if (record.ms < slowerThanMs) return false;
  if (untilMs !== undefined && Date.parse(record.at) > untilMs) return false;
  return client === undefined || (record.client ?? "").toLowerCase().includes(client.toLowerCase());
}

/** How long the calls of each tool took, over all and in slices of the time between the first and the last. */
export function toolTimes(records: readonly CallRecord[]): readonly ToolTimes[] {
  const byTool = new Map<string, CallRecord[]>();
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const record of records) {
    const name = record.tool ?? record.method;
    const same = byTool.get(name);
    if (same) same.push(record);
    else byTool.set(name, [record]);
    const atMs = Date.parse(record.at);
    firstMs = Math.min(firstMs, atMs);
    lastMs = Math.max(lastMs, atMs);
  }
  const sliceMs = Math.max(1_000, Math.ceil((lastMs - firstMs + 1) / SLICES));
  const times = [...byTool].map(([tool, calls]) => timesOf(tool, calls, { firstMs, sliceMs }));
  return times.toSorted((a, b) => b.calls - a.calls).slice(0, MAX_TOOLS);
}

function timesOf(
  tool: string,
  calls: readonly CallRecord[],
  { firstMs, sliceMs }: { readonly firstMs: number; readonly sliceMs: number },
): ToolTimes {
  const sorted = calls.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const slices = new Map<number, number[]>();
  for (const { at, ms } of calls) {
    const slice = Math.floor((Date.parse(at) - firstMs) / sliceMs);
    const same = slices.get(slice);
    if (same) same.push(ms);
    else slices.set(slice, [ms]);
  }
  const series = [...slices]
    .toSorted(([a], [b]) => a - b)
    .map(([slice, times]) => ({
      atMs: firstMs + slice * sliceMs,
      calls: times.length,
      ...percentiles(times.toSorted((a, b) => a - b)),
    }));
  return {
    tool,
    server: calls[0]?.server,
    calls: calls.length,
    errors: calls.filter(isError).length,
    ...percentiles(sorted),
    maxMs: sorted.at(-1) ?? 0,
    argumentBytes: sum(calls.map(({ argumentBytes }) => argumentBytes)),
    resultBytes: sum(calls.map(({ resultBytes }) => resultBytes)),
    series,
  };
}

function percentiles(sorted: readonly number[]): Pick<ToolTimes, "p50" | "p95" | "p99"> {
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), p99: percentile(sorted, 0.99) };
}

/** The smallest time that this share of the calls did not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
