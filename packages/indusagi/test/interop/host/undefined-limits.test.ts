import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  type HttpLimits,
  type JsonBudget,
  type ParkingLimits,
  type ResourceProvider,
  serveHttp,
} from "indusagi/interop";
import { expect } from "vitest";
import { resolveHttpLimits } from "../../../src/interop/host/http/http-options.ts";
import { resolveParking } from "../../../src/interop/host/questions/parked-calls.ts";
import { resolveJsonBudget } from "../../../src/interop/host/request/json-budget.ts";
import { boxOf } from "./box-of.ts";
import { hostPair } from "./host-pair.ts";
import { send } from "./http/raw-http.ts";

const UNDEFINED_KEEPS_DEFAULT = "house:undefined-keeps-default";

const HTTP: { readonly [name in keyof HttpLimits]-?: HttpLimits[name] | undefined } = {
  bodyBytes: 4_194_304,
  batch: 100,
  json: { depth: 128, elements: 200_000 },
  headersMs: 10_000,
  requestMs: 30_000,
  sessionIdleMs: 1_800_000,
  sessionsPerPrincipal: 128,
  sessions: 1024,
  sessionSparedMs: 60_000,
  streamsPerPrincipal: 128,
  requestsPerPrincipal: 512,
  connections: 4096,
  stalledMs: 60_000,
  drainMs: 5_000,
  recheckMs: 30_000,
  keepAliveMs: 15_000,
  pollAfterMs: undefined,
  eventsPerSession: 1_000,
  eventBytesPerSession: 4_194_304,
};
const JSON_LIMITS: JsonBudget = { depth: 128, elements: 200_000 };
const PARKING: ParkingLimits = { questionMs: 600_000, perOwner: 32, total: 1024 };

const RESOLVED = [
  ["limits", HTTP, (given: object) => resolveHttpLimits(given)],
  ["json", JSON_LIMITS, (given: object) => resolveJsonBudget(given)],
  ["limits.json", JSON_LIMITS, (given: object) => resolveHttpLimits({ json: given as JsonBudget }).json],
  ["questions", PARKING, (given: object) => resolveParking(given)],
] as const;

for (const [option, defaults, resolve] of RESOLVED)
  for (const [name, standard] of Object.entries(defaults))
    verifies(UNDEFINED_KEEPS_DEFAULT, `${option}.${name} is ${JSON.stringify(standard)}`, () => {
      expect(Reflect.get(resolve({}), name)).toEqual(standard);
      expect(resolve({ [name]: undefined })).toEqual(resolve({}));
      const value = name === "json" ? { depth: 1, elements: 2 } : 7;
      expect(resolve({ [name]: value })).toEqual({ ...resolve({}), [name]: value });
    });

/** All members of some limits, each undefined. */
function allUndefined(limits: object): object {
  return Object.fromEntries(Object.keys(limits).map((name) => [name, undefined]));
}

verifies(UNDEFINED_KEEPS_DEFAULT, "a listener whose limits are all undefined still refuses", async () => {
  const host = createProviderHost(boxOf({}));
  const listener = await serveHttp(host, { port: 0, limits: allUndefined(HTTP) });
  try {
    const deep = await send(listener.url, { body: "[".repeat(129) });
    expect(deep.text).toContain("nested more than 128 levels deep");
    const many = await send(listener.url, { body: JSON.stringify(Array.from({ length: 101 }, () => ({}))) });
    expect(many.text).toContain("more than 100 messages");
  } finally {
    await listener.close();
  }
});

verifies(UNDEFINED_KEEPS_DEFAULT, "a host whose limits are all undefined still refuses", async () => {
  const box = boxOf({ echo: () => ({ content: [] }) });
  const options = { json: allUndefined(JSON_LIMITS), questions: allUndefined(PARKING) };
  const host = createProviderHost(box, undefined, undefined, options);
  await using pair = await hostPair("modern", box, { host });
  let deep: unknown = 1;
  for (let level = 0; level < 129; level += 1) deep = [deep];
  await expect(pair.endpoint.invoke("echo", { deep })).rejects.toThrow("nested more than 128 levels deep");
  expect((await pair.endpoint.invoke("echo", {})).isError).toBe(false);
});

verifies(
  UNDEFINED_KEEPS_DEFAULT,
  "resources without functions to watch are not advertised as watched",
  async () => {
    const resources: ResourceProvider = { list: () => ({}), read: () => undefined };
    Object.assign(resources, { watch: undefined, onUpdated: undefined });
    await using pair = await hostPair("legacy", boxOf({}), { providers: { resources } });
    expect(pair.endpoint.session().capabilities["resources"]).toEqual({ listChanged: true });
  },
);
