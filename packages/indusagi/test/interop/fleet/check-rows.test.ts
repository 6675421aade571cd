import { verifies } from "@indus/testkit";
import {
  type BridgeConfig,
  type FleetOptions,
  mountProtocolBridge,
  type ServerConfig,
  type ServerFleet,
  startServerFleet,
} from "indusagi/interop";
import { expect } from "vitest";
import { inProcess } from "../kit/scripted.ts";

/** One value of each kind. No message shows a text, which may be a secret, except where only certain words are right. */
const VALUES: { readonly [kind: string]: unknown } = {
  undefined: undefined,
  null: null,
  number: 7,
  string: "sesame",
  boolean: true,
  array: [7],
  object: { name: 7 },
};

const ROWS: { readonly [kind: string]: { readonly [member: string]: unknown } } = {
  stdio: { kind: "stdio", command: "unused" },
  sse: { kind: "sse", url: "http://127.0.0.1:9/sse" },
  "streamable-http": { kind: "streamable-http", url: "http://127.0.0.1:9/mcp" },
};

const ANY = ["stdio", "sse", "streamable-http"];
const HTTP = ["sse", "streamable-http"];
/** The kinds of row that read a member, and the kinds of value that it may have. `list.0` and `object.x` are inside. */
const MEMBERS: {
  readonly [member: string]: { readonly in: readonly string[]; readonly takes: readonly string[] };
} = {
  id: { in: ANY, takes: ["string"] },
  kind: { in: ANY, takes: [] },
  command: { in: ["stdio"], takes: ["string"] },
  args: { in: ["stdio"], takes: ["undefined"] },
  "args.0": { in: ["stdio"], takes: ["string"] },
  env: { in: ["stdio"], takes: ["undefined"] },
  "env.KEY": { in: ["stdio"], takes: ["undefined", "string"] },
  cwd: { in: ["stdio"], takes: ["undefined", "string"] },
  url: { in: HTTP, takes: ["string"] },
  headers: { in: HTTP, takes: ["undefined"] },
  "headers.KEY": { in: HTTP, takes: ["string"] },
  oauth: { in: HTTP, takes: ["undefined", "object"] },
  "oauth.clientId": { in: HTTP, takes: ["undefined", "string"] },
  "oauth.clientSecret": { in: HTTP, takes: ["undefined", "string"] },
  "oauth.scopes": { in: HTTP, takes: ["undefined"] },
  "oauth.scopes.0": { in: HTTP, takes: ["string"] },
  "oauth.callbackPort": { in: HTTP, takes: ["undefined", "number"] },
  "oauth.callbackHost": { in: HTTP, takes: ["undefined", "string"] },
  "oauth.authorizationServer": { in: HTTP, takes: ["undefined", "string"] },
  onMismatch: { in: HTTP, takes: ["undefined"] },
  timeouts: { in: ANY, takes: ["undefined", "object"] },
  "timeouts.connectMs": { in: ANY, takes: ["undefined", "number"] },
  "timeouts.listMs": { in: ANY, takes: ["undefined", "number"] },
  "timeouts.callMs": { in: ANY, takes: ["undefined", "number"] },
  "timeouts.totalMs": { in: ANY, takes: ["undefined", "number"] },
  share: { in: ANY, takes: ["undefined"] },
  enabled: { in: ANY, takes: ["undefined", "boolean"] },
  pending: { in: ANY, takes: ["undefined", "boolean"] },
  required: { in: ANY, takes: ["undefined", "boolean"] },
  lazy: { in: ANY, takes: ["undefined", "boolean"] },
  idleMs: { in: ANY, takes: ["undefined", "number"] },
  includeTools: { in: ANY, takes: ["undefined"] },
  "includeTools.0": { in: ANY, takes: ["string"] },
  excludeTools: { in: ANY, takes: ["undefined"] },
  "excludeTools.0": { in: ANY, takes: ["string"] },
  toolOverrides: { in: ANY, takes: ["undefined"] },
  "toolOverrides.echo": { in: ANY, takes: ["object"] },
  "toolOverrides.echo.name": { in: ANY, takes: ["undefined", "string"] },
  "toolOverrides.echo.description": { in: ANY, takes: ["undefined", "string"] },
  pin: { in: ANY, takes: ["undefined"] },
  fromCommand: { in: ANY, takes: ["undefined"] },
  "fromCommand.KEY": { in: ANY, takes: [] },
  "fromCommand.KEY.0": { in: ANY, takes: ["string"] },
};

/** The value at a path, in objects and lists made for it. */
function nested([name = "", ...rest]: readonly string[], value: unknown): unknown {
  const inner = rest.length === 0 ? value : nested(rest, value);
  return name === "0" ? [inner] : { [name]: inner };
}

const CHOICES = new Set(["kind", "share", "pin", "onMismatch"]);

interface Wrong {
  readonly row: ServerConfig;
  /** As the message names it. */
  readonly member: string;
}

/** Each member of each kind of row with each kind of value that it may not have. */
const WRONG: readonly Wrong[] = Object.entries(MEMBERS).flatMap(([member, { in: kinds, takes }]) =>
  kinds.flatMap((kind) =>
    Object.entries(VALUES)
      .filter(([name]) => !takes.includes(name))
      .map(([name, value]) => ({
        row: {
          id: `${kind} ${member} ${name}`,
          ...ROWS[kind],
          ...(nested(member.split("."), value) as object),
        } as unknown as ServerConfig,
        member: member.replaceAll(".0", "[0]"),
      })),
  ),
);

const good: ServerConfig = { kind: "stdio", id: "good", command: "unused" };
const options: FleetOptions = { transport: () => inProcess() };

const DOORS: { readonly [door: string]: (rows: readonly ServerConfig[]) => Promise<ServerFleet> } = {
  startServerFleet: (servers) => startServerFleet({ servers }, options),
  mountProtocolBridge: async (servers) => (await mountProtocolBridge({ servers }, options)).fleet,
  addServer: async (servers) => {
    const fleet = await startServerFleet({ servers: [] }, options);
    for (const row of servers) await fleet.addServer(row);
    return fleet;
  },
};

verifies(
  "fleet:wrong-row",
  "every member of every kind of row with every wrong kind of value is the fault of that row",
  async () => {
    expect(WRONG.length).toBeGreaterThan(400);
    for (const [door, open] of Object.entries(DOORS)) {
      const fleet = await open([...WRONG.map(({ row }) => row), good]);
      const status = fleet.status();
      expect([door, status.size]).toEqual([door, WRONG.length + 1]);
      expect(status.get("good")).toMatchObject({ phase: "ready", toolCount: 22 });
      const ids = [...status.keys()];
      const seen = await Promise.all(
        WRONG.map(async ({ member }, index) => {
          const id = ids[index] ?? "";
          const { phase, fault, summary = "", restarts } = status.get(id) ?? {};
          const refusal: unknown = await fleet.acquire(id).catch((thrown: unknown) => thrown);
          return {
            ...{ id, phase, reason: fault?.reason, restarts, isRefused: refusal === fault },
            isOpened: fleet.endpoint(id)?.phase !== "idle",
            isNamed: summary.includes(` is not started: "${member}`), // Or a place inside of it.
            hasRemedy: / and must be .*; correct its row in the configuration$/.test(summary),
            isShown: !CHOICES.has(member) && summary.includes("sesame"),
          };
        }),
      );
      expect(seen).toEqual(
        ids.slice(0, -1).map((id) => ({
          ...{ id, phase: "faulted", reason: "unsupported", restarts: 0, isRefused: true },
          ...{ isOpened: false, isNamed: true, hasRemedy: true, isShown: false },
        })),
      );
      await fleet.tearDown();
    }
  },
);

verifies(
  "fleet:wrong-row",
  "what is no object is a faulted row, and keeps no other from starting",
  async () => {
    for (const value of Object.values(VALUES)) {
      const fleet = await startServerFleet({ servers: [value as ServerConfig, good] }, options);
      expect([...fleet.status().values()].map(({ server, phase }) => [server, phase])).toEqual([
        ["row 1", "faulted"],
        ["good", "ready"],
      ]);
      await fleet.tearDown();
    }
  },
);

verifies(
  "fleet:wrong-row",
  "a row without an id is named after its place, and takes the place of no other",
  async () => {
    const lost = { kind: "stdio", command: "unused" } as ServerConfig;
    const real = { ...good, id: "row 3" };
    const fleet = await startServerFleet({ servers: [good, real, lost, lost] }, options);
    const phases = (): readonly string[] =>
      [...fleet.status()].map(([id, { server, phase }]) => (id === server ? `${id}: ${phase}` : "?"));
    const expected = ["good: ready", "row 3: ready", "row 3 without an id: faulted", "row 4: faulted"];
    expect(phases()).toEqual(expected);
    expect(fleet.status().get("row 4")?.summary).toBe(
      'row 4 of the configuration is not started: "id" is undefined and must be a non-empty string; correct its row in the configuration',
    );
    await fleet.spinUp();
    expect(phases()).toEqual(expected);
    await fleet.removeServer("good");
    await fleet.spinUp();
    expect(phases()).toEqual(expected.slice(1));
    await fleet.addServer(lost);
    expect(phases()).toEqual([...expected.slice(1), "row 4 without an id: faulted"]);
    await fleet.tearDown();
  },
);

verifies(
  "fleet:wrong-row",
  "a reload that corrects a row starts it, and one that breaks it ends it",
  async () => {
    const broken = { ...good, command: undefined } as unknown as ServerConfig;
    const fleet = await startServerFleet({ servers: [broken] }, options);
    expect(await fleet.reload({ servers: [broken] })).toMatchObject({ kept: ["good"] });
    const worse = { ...broken, args: 7 } as unknown as ServerConfig;
    expect(await fleet.reload({ servers: [worse] })).toMatchObject({ kept: ["good"] });
    expect(await fleet.reload({ servers: [good] })).toMatchObject({ changed: ["good"] });
    expect(fleet.status().get("good")).toMatchObject({ phase: "ready" });
    expect(await fleet.reload({ servers: [broken] })).toMatchObject({ changed: ["good"] });
    expect(fleet.status().get("good")).toMatchObject({ phase: "faulted", toolCount: 0 });
    expect(fleet.catalogue("good")).toEqual([]);
    await fleet.tearDown();
  },
);

verifies(
  "fleet:wrong-row",
  "a member that the kind does not have is passed over, whatever it is",
  async () => {
    const servers = Object.entries(VALUES).map(
      ([name, value]) => ({ ...good, id: name, url: value, headers: value, oauth: value }) as ServerConfig,
    );
    const fleet = await startServerFleet({ servers }, options);
    expect([...fleet.status().values()].map(({ phase }) => phase)).toEqual(servers.map(() => "ready"));
    await fleet.tearDown();
  },
);

verifies(
  "fleet:wrong-row",
  "a member that has no JSON form, or cannot be read, hurts only its row",
  async () => {
    const rows = [
      { ...good, id: "endless", idleMs: Number.POSITIVE_INFINITY },
      { ...good, id: "none", timeouts: { callMs: Number.NaN } },
      { ...good, id: "function", more: () => 1, big: 1n },
      Object.defineProperty({ ...good, id: "getter" }, "command", {
        get: () => {
          throw new Error("no");
        },
        enumerable: true,
      }),
      Object.defineProperty({}, "id", {
        get: () => {
          throw new Error("no");
        },
      }),
      good,
    ] as unknown as ServerConfig[];
    const fleet = await startServerFleet({ servers: rows }, options);
    const phases = (): unknown =>
      Object.fromEntries([...fleet.status()].map(([id, { phase }]) => [id, phase]));
    const expected = {
      endless: "faulted",
      none: "faulted",
      function: "ready",
      "row 4": "faulted",
      "row 5": "faulted",
      good: "ready",
    };
    expect(phases()).toEqual(expected);
    expect(await fleet.reload({ servers: rows })).toMatchObject({
      changed: ["function"],
      added: [],
      removed: [],
    });
    expect(phases()).toEqual(expected);
    await fleet.tearDown();
  },
);

verifies("fleet:wrong-row", "a configuration without a list of rows is refused as a whole", async () => {
  const configs: readonly unknown[] = [undefined, null, 7, {}, { servers: { good } }, { servers: undefined }];
  for (const config of configs)
    await expect(startServerFleet(config as BridgeConfig)).rejects.toThrow(
      '"servers" must be a list of rows',
    );
});
