import { inParallel } from "../in-parallel.ts";
import type { KeptResults } from "../kept-results.ts";
import { endMarked, markedGone } from "../processes.ts";
import type { Scratch } from "../scratch.ts";
import type { FleetServer } from "../server-list.ts";
import { observeDirect } from "./direct.ts";
import { observeMounted } from "./mounted.ts";
import { isFailure, type Observed } from "./observation.ts";
import { reportOf, type ServerReport } from "./report.ts";
import { observeServed } from "./served.ts";

export interface ObserveOptions {
  readonly scratch: Scratch;
  readonly kept: KeptResults;
  /** The beginning of the marks of all processes. */
  readonly mark: string;
  readonly indus: string;
  /** Changes with every build of `indus`. */
  readonly build: string;
  readonly print: (line: string) => void;
}

/** As many as the smallest machine has cores: the time alone should be that of one server, not of many. */
const DIRECT_AT_ONCE = 2;

/** Uses every server in all ways and compares what was seen. */
export async function compareServers(
  servers: readonly FleetServer[],
  options: ObserveOptions,
): Promise<readonly ServerReport[]> {
  const { kept, scratch, mark, build, indus, print } = options;
  print("with the official client, twice");
  const direct = new Map<string, readonly [Observed, Observed]>();
  await inParallel(servers, DIRECT_AT_ONCE, async (server) => {
    const run = (nth: number): Promise<Observed> =>
      observeDirect(server, { scratch, mark: `${mark}-${server.name}-${nth}.` });
    const key = [server, process.version];
    const both = await kept.of(
      `direct/${server.name}`,
      key,
      async () => [await run(1), await run(2)] as const,
    );
    direct.set(server.name, both);
    print(`  ${server.name}: ${described(both[0])}`);
  });
  const firstRuns = new Map([...direct].map(([name, [first]]) => [name, first]));
  print("all in one mount");
  const mounted = await kept.of("mounted", [servers, build], async () =>
    ended(mark, "mounted", (own) => observeMounted(servers, { scratch, mark: own }), print),
  );
  print("all through one indus serve");
  const served = await kept.of("served", [servers, build], async () =>
    ended(
      mark,
      "served",
      (own) => observeServed(servers, { scratch, mark: own, indus, direct: firstRuns }),
      print,
    ),
  );
  const missing: Observed = { failure: "not observed" };
  return servers.map((server) =>
    reportOf(server, {
      direct: direct.get(server.name) ?? [missing, missing],
      mounted: mounted[server.name] ?? missing,
      served: served[server.name] ?? missing,
    }),
  );
}

const LEFTOVER_GRACE_MS = 10_000;

/** Observes all servers in one way and reports processes that are left after it. */
async function ended(
  mark: string,
  way: string,
  observe: (mark: string) => Promise<ReadonlyMap<string, Observed>>,
  print: (line: string) => void,
): Promise<{ readonly [name: string]: Observed }> {
  const own = `${mark}-${way}.`;
  const observed = await observe(own);
  // Under load the client kills an `indus` that is still ending its servers, and the watchdog ends the rest.
  await markedGone(own, LEFTOVER_GRACE_MS);
  const left = endMarked(own);
  print(
    `  ${[...observed.values()].filter((one) => !isFailure(one)).length} usable, ${left.length} processes left`,
  );
  for (const command of left) print(`  left: ${command}`);
  for (const [name, one] of observed) if (isFailure(one)) print(`  ${name}: ${one.failure}`);
  return Object.fromEntries(observed);
}

function described(observed: Observed): string {
  if (isFailure(observed)) return `does not start: ${observed.failure}`;
  return `${observed.tools.length} tools, ${Math.round(observed.readyMs)} ms${observed.refusal ? `, listing refused: ${observed.refusal}` : ""}`;
}
