import type { FleetServer } from "../server-list.ts";
import { isFailure, type Observed } from "./observation.ts";
import { compare, type ServerVerdicts, type Verdict } from "./verdict.ts";

/** Everything seen of one server. */
export interface ServerObservations {
  readonly direct: readonly [Observed, Observed];
  readonly mounted: Observed;
  readonly served: Observed;
}

/** One server in the result of a run. */
export interface ServerReport {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Absent if it does not start with the official client. */
  readonly tools?: number;
  /** Why it does not start with the official client. */
  readonly failure?: string;
  /** Why the official client refuses its listing. */
  readonly refusal?: string;
  /** The shorter of two starts with the official client, alone. */
  readonly directMs?: number;
  /** Until it was ready in the mount of the whole fleet. */
  readonly mountedMs?: number;
  /** How many tools the mount has of it. */
  readonly mountedTools?: number;
  readonly memoryMb?: number;
  readonly mounted: ServerVerdicts;
  readonly served: ServerVerdicts;
}

export function reportOf(
  { name, package: packageName, version }: FleetServer,
  { direct, mounted, served }: ServerObservations,
): ServerReport {
  const [first, second] = direct;
  const identity = { name, package: packageName, version };
  const verdicts = { mounted: compare({ direct, ours: mounted }), served: compare({ direct, ours: served }) };
  if (isFailure(first) || isFailure(second)) {
    const failure = [first, second].flatMap((run) => (isFailure(run) ? [run.failure] : []))[0] ?? "";
    return { ...identity, failure, ...verdicts };
  }
  return {
    ...identity,
    tools: first.tools.length,
    directMs: Math.min(first.readyMs, second.readyMs),
    ...(isFailure(mounted) ? {} : { mountedMs: mounted.readyMs, mountedTools: mounted.tools.length }),
    ...(first.memoryMb === undefined ? {} : { memoryMb: first.memoryMb }),
    ...(first.refusal === undefined ? {} : { refusal: first.refusal }),
    ...verdicts,
  };
}

/** The verdicts of a server with the way they were reached, in the order of the page. */
export function namedVerdicts({ mounted, served }: ServerReport): readonly (readonly [string, Verdict])[] {
  return [
    ["definitions, mounted", mounted.definitions],
    ["definitions, served", served.definitions],
    ["call, mounted", mounted.call],
    ["call, served", served.call],
  ];
}

/** Whether the fleet shows a fault of ours: a server that works with the official client and not, or differently, here. */
export function hasDifference(report: ServerReport): boolean {
  return namedVerdicts(report).some(([, { kind }]) => kind === "different");
}
