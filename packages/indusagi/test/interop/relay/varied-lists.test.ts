import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  EXTENSION_KEYS,
  type Extensions,
  type FleetOptions,
  type InjectedTransport,
  linkedTransports,
  type MountedProtocolBridge,
  mountProtocolBridge,
  type RpcMessage,
  relayFleet,
  type ServerConfig,
  sharedKey,
  withVariants,
} from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import { expect } from "vitest";
import { createVariedServer, type VariedServerOptions } from "../../../../../test/servers/varied.mjs";

const UI = "io.modelcontextprotocol/ui";
const BOTH = `${UI} io.modelcontextprotocol/skills`;

interface Varied extends MountedProtocolBridge, AsyncDisposable {
  boxFor(extensions: string): ToolBox;
  /** The lists of tools that a server was asked for since it started: whether each was for clients with apps. */
  asked(server: string): Promise<readonly boolean[]>;
  kill(server: string): Promise<void>;
}

interface VariedRow extends VariedServerOptions {
  readonly row?: Pick<ServerConfig, "toolOverrides">;
}

/** A bridge to servers that list other tools for clients with apps. */
async function bridgeTo(
  rows: { readonly [id: string]: VariedRow },
  options: FleetOptions = {},
): Promise<Varied> {
  const newest = new Map<string, InjectedTransport>();
  const bridge = await mountProtocolBridge(
    {
      servers: Object.entries(rows).map(([id, { row }]) => {
        return { kind: "stdio", id, command: "(in this process)", ...row };
      }),
    },
    {
      supervision: { firstDelayMs: 1 },
      transport: ({ id }) => {
        const [ours, theirs] = linkedTransports();
        newest.set(id, theirs);
        const receive = createVariedServer(rows[id]);
        theirs.onmessage = (message) =>
          receive(message, (sent: RpcMessage) => void theirs.send(sent).catch(() => {}));
        void theirs.start();
        return ours;
      },
      ...options,
    },
  );
  const { box, fleet, variants } = bridge;
  return {
    ...bridge,
    boxFor: (extensions) => withVariants(box, variants(extensions), { fleet, extensions }),
    asked: async (server) => {
      const { output } = await box.runner.run({ id: "1", name: `${server}__asked`, input: {} });
      const asked = JSON.parse(String(output)) as { method: string; apps: boolean }[];
      return asked.flatMap(({ method, apps }) => (method === "tools/list" ? [apps] : []));
    },
    kill: async (server) => newest.get(server)?.close(),
    [Symbol.asyncDispose]: () => fleet.tearDown(),
  };
}

const EXTRA = ["a__change", "a__extra0"];

const namesIn = (box: ToolBox): string[] =>
  box
    .descriptors()
    .map(({ name }) => name)
    .sort();
const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 10_000, interval: 5 });

verifies(
  "extensions:lists",
  "only servers that declare an extension are asked again, once for all that they see as the same",
  async () => {
    await using bridge = await bridgeTo({ a: {}, b: { declares: false } });
    const plain = namesIn(bridge.box);
    expect(plain).not.toContain("a__zoom");
    const [shows, both] = [bridge.boxFor(UI), bridge.boxFor(BOTH)];
    await Promise.all([bridge.fleet.listFor(UI), bridge.fleet.listFor(BOTH)]);
    for (const box of [shows, both]) {
      expect(namesIn(box)).toEqual([...plain, "a__zoom"].sort());
      const called = await box.runner.run({ id: "1", name: "a__zoom", input: {} });
      // Without a caller nothing is declared, so the server does not know the tool.
      expect(called.fault?.rpc?.code).toBe(-32602);
    }
    expect(namesIn(bridge.box)).toEqual(plain);
    expect(await bridge.asked("a")).toEqual([false, true]);
    expect(await bridge.asked("b")).toEqual([false]);
    // Tools that are the same for all are the same objects.
    const [of, ofPlain] = [bridge.fleet.catalogue("a", UI), bridge.fleet.catalogue("a")];
    expect(of.filter((tool) => ofPlain.includes(tool)).map(({ ref }) => ref.name)).toEqual([
      "change",
      "asked",
    ]);
    expect(bridge.fleet.catalogue("b", UI)).toBe(bridge.fleet.catalogue("b"));
  },
);

verifies(
  "extensions:lists",
  "a change of tools that all clients get is reported once to each, when its own list has it",
  async () => {
    await using bridge = await bridgeTo({ a: { same: true } });
    const shows = bridge.boxFor(UI);
    await bridge.fleet.listFor(UI);
    const seen: string[][] = [];
    shows.onChange(() => seen.push(namesIn(shows)));
    await bridge.box.runner.run({ id: "1", name: "a__change", input: {} });
    await soon(() => [namesIn(bridge.box), namesIn(shows)]).toEqual([EXTRA, EXTRA]);
    expect(seen).toEqual([EXTRA]);
  },
);

verifies("extensions:lists", "skills are listed for each kind of client, too", async () => {
  await using bridge = await bridgeTo({ a: { skills: true } });
  const source = relayFleet(bridge.fleet).clientProviders();
  if (typeof source !== "function") throw new Error("the same for all clients");
  const namesFor = async (extensions: Extensions | undefined): Promise<unknown> => {
    const caller = { key: "k", can: extensions ? { extensions } : {} };
    const { skills } = source({ ...caller, era: "modern" });
    const signal = new AbortController().signal;
    const { skills: listed } = (await skills?.list({}, { caller, signal })) ?? {};
    return (listed as readonly { readonly uri: string }[]).map(({ uri }) => uri);
  };
  const write = "skill://write/SKILL.md";
  expect(await namesFor(undefined)).toEqual([write]);
  expect(await namesFor({ [UI]: {} })).toEqual([write, "skill://draw/SKILL.md"]);
  expect(await namesFor({ "com.example/x": {} })).toEqual([write]);
});

verifies("extensions:lists-kept", "a restarted server is asked for all its lists again", async () => {
  await using bridge = await bridgeTo({ a: {} });
  const shows = bridge.boxFor(UI);
  await bridge.fleet.listFor(UI);
  await bridge.kill("a");
  await soon(() => bridge.fleet.statusOf("a")?.restarts).toBe(1);
  // Until then its tools stay on offer.
  expect(namesIn(shows)).toContain("a__zoom");
  await soon(() => bridge.asked("a")).toEqual([false, true]);
  await bridge.fleet.removeServer("a");
  expect([namesIn(shows), namesIn(bridge.box)]).toEqual([[], []]);
  await bridge.fleet.addServer({ kind: "stdio", id: "a", command: "(in this process)" });
  await soon(() => namesIn(shows)).toContain("a__zoom");
});

verifies(
  "extensions:lists-ruled",
  "names stay unique: a tool that only some clients get takes no name of another server",
  async () => {
    const row = { toolOverrides: { zoom: { name: "show" } } };
    await using bridge = await bridgeTo({ a: {}, b: { row } });
    const shows = bridge.boxFor(UI);
    await bridge.fleet.listFor(UI);
    const names = namesIn(shows);
    expect(new Set(names).size).toBe(names.length);
    const owner = shows.descriptors().find(({ name }) => name === "b__show")?.origin;
    expect(owner).toEqual({ server: "b", tool: "show" });
  },
);

verifies(
  "extensions:lists-ruled",
  "a review withholds tools of each list, and from its clients only",
  async () => {
    const reviewed: (string | undefined)[] = [];
    await using bridge = await bridgeTo(
      { a: {} },
      {
        toolReview: {
          onChange: () => () => {},
          review: ({ tools, extensions }) => {
            reviewed.push(extensions);
            const offered = tools.filter(({ name }) => name !== "zoom");
            return {
              offered,
              withheld: new Map(offered.length < tools.length ? [["zoom", "zoom is bad"]] : []),
            };
          },
        },
      },
    );
    const shows = bridge.boxFor(BOTH);
    await bridge.fleet.listFor(BOTH);
    expect(namesIn(shows)).toEqual(namesIn(bridge.box));
    expect(shows.refusalOf?.("a__zoom")?.message).toBe("zoom is bad");
    expect(bridge.box.refusalOf?.("a__zoom")).toBeUndefined();
    expect(bridge.fleet.withheld("a").map(({ tool }) => tool.ref.name)).toEqual(["zoom"]);
    // By what the server sees, so that all who get one list share one decision.
    expect(reviewed).toEqual([undefined, UI]);
  },
);

verifies("extensions:key", "what a list depends on is declared by both sides", () => {
  const keys = fc.constantFrom("", ...EXTENSION_KEYS);
  const capabilitiesOf = (key: string): object => ({
    extensions: Object.fromEntries(key.split(" ").map((id) => [id, {}])),
  });
  fc.assert(
    fc.property(keys, keys, (client, server) => {
      const shared = sharedKey(client, capabilitiesOf(server));
      expect(shared).toBe(sharedKey(server, capabilitiesOf(client)));
      expect(["", ...EXTENSION_KEYS]).toContain(shared);
      expect(sharedKey(client, capabilitiesOf(client))).toBe(client);
      expect(sharedKey(shared, capabilitiesOf(server))).toBe(shared);
    }),
  );
  expect(sharedKey(UI, { extensions: 1 })).toBe("");
});
