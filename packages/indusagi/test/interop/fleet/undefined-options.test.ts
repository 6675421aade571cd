import { verifies } from "@indus/testkit";
import { type FleetOptions, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { resolveSupervision } from "../../../src/interop/fleet/fleet-options.ts";
import { resolveStarts } from "../../../src/interop/fleet/starts/start-options.ts";
import { liveFleet } from "../kit/live-fleet.ts";
import { flakyHttp } from "./flaky-http.ts";

const UNDEFINED_KEEPS_DEFAULT = "house:undefined-keeps-default";

const HEALTH = { missed: 2, probeMs: 10_000, rounds: 2 };
const BREAKER = { failures: 5, withinMs: 60_000, retryMs: 30_000 };
const SUPERVISION = {
  firstDelayMs: 250,
  maxDelayMs: 30_000,
  jitter: 0.5,
  breaker: BREAKER,
  health: HEALTH,
  idleMs: undefined,
  lazy: false,
  checkMs: undefined,
  checkTimeoutMs: 10_000,
  acquireMs: 30_000,
  maxWaitMs: 50_000,
  noteMs: 5_000,
  drainMs: 10_000,
};
const STARTS = { http: 20, installs: 2, slotMs: 3_000, idleMs: 50, installMs: 180_000 };

const RESOLVED = [
  ["supervision", SUPERVISION, (given: object) => resolveSupervision(given)],
  ["supervision.health", HEALTH, (given: object) => resolveSupervision({ health: given }).health ?? {}],
  ["supervision.breaker", BREAKER, (given: object) => resolveSupervision({ breaker: given }).breaker],
  ["starts", STARTS, (given: object) => resolveStarts(undefined, given)],
] as const;

for (const [option, defaults, resolve] of RESOLVED)
  for (const [name, standard] of Object.entries(defaults))
    verifies(UNDEFINED_KEEPS_DEFAULT, `${option}.${name} is ${JSON.stringify(standard)}`, () => {
      expect(Reflect.get(resolve({}), name)).toEqual(standard);
      expect(resolve({ [name]: undefined })).toEqual(resolve({}));
    });

/** As a program without strict types may pass them. */
const untyped = (options: object): FleetOptions => options;

verifies(UNDEFINED_KEEPS_DEFAULT, "eras: a restarted server is not asked for its era again", async () => {
  await using server = await flakyHttp("legacy");
  const config = { kind: "streamable-http", id: "h", url: server.url } as const;
  const fleet = await startServerFleet({ servers: [config] }, untyped({ eras: undefined }));
  try {
    const probes = (): number => server.asked.filter((method) => method === "server/discover").length;
    expect(probes()).toBe(1);
    await fleet.restart("h");
    expect(fleet.status().get("h")?.phase).toBe("ready");
    expect(probes()).toBe(1);
  } finally {
    await fleet.tearDown();
  }
});

verifies(UNDEFINED_KEEPS_DEFAULT, "instances: at most 32 at a time", async () => {
  const options = untyped({ instances: { max: undefined, idleMs: undefined } });
  await using live = await liveFleet({ up: { share: "session" } }, options);
  const acquire = (key: number): Promise<unknown> =>
    live.fleet.acquire("up", { caller: { key: String(key), can: {} } });
  for (let key = 0; key < 32; key += 1) await acquire(key);
  await expect(acquire(32)).rejects.toMatchObject({ reason: "busy" });
});
