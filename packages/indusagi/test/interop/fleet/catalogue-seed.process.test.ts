import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import {
  listServer,
  mountProtocolBridge,
  type ServerEndpoint,
  type StdioServerConfig,
  startServerFleet,
  type ToolDefinition,
} from "indusagi/interop";
import { expect } from "vitest";

const script = fileURLToPath(new URL("../../../../../test/servers/gated.mjs", import.meta.url));
const gated = (id: string, ...args: string[]): StdioServerConfig => ({
  kind: "stdio",
  id,
  command: process.execPath,
  args: [script, ...args],
});
const definition = (name: string): ToolDefinition => ({ name, inputSchema: { type: "object" } });
const seedOf = (...names: string[]): ReadonlyMap<string, readonly ToolDefinition[]> =>
  new Map([["s", names.map(definition)]]);

verifies(
  "catalogue:seed",
  "tools of the last run are offered before the server is ready, and a call waits for it",
  async () => {
    await using dir = await tempDir();
    const gate = dir.at("gate");
    const { box, fleet } = await mountProtocolBridge(
      { servers: [gated("s", "--gate", gate, "--count", "2")] },
      { catalogueSeed: seedOf("t0", "t1"), waitMs: 0 },
    );
    const seeded = box.descriptors();
    expect(seeded.map(({ name }) => name)).toEqual(["s__t0", "s__t1"]);
    let isAnswered = false;
    const calling = box.runner.run({ id: "1", name: "s__t1", input: {} }).finally(() => (isAnswered = true));
    await expect.poll(() => fleet.status().get("s")?.phase).toBe("connecting");
    expect(isAnswered).toBe(false);
    await writeFile(gate, "");
    expect(await calling).toMatchObject({ isError: false, output: "called t1" });
    await expect.poll(() => fleet.endpoint("s")?.status().toolCount).toBe(2);
    expect(box.descriptors()).toBe(seeded); // The same tools: nothing has changed.
    await fleet.tearDown();
  },
);

verifies(
  "catalogue:seed",
  "a fresh listing that differs replaces the tools of the last run, in one change",
  async () => {
    await using dir = await tempDir();
    const gate = dir.at("gate");
    const { box, fleet } = await mountProtocolBridge(
      { servers: [gated("s", "--gate", gate, "--count", "2")] },
      { catalogueSeed: seedOf("old", "t0"), waitMs: 0 },
    );
    const changes: string[][] = [];
    box.onChange(({ added, removed }) =>
      changes.push([...added.map(({ name }) => `+${name}`), ...removed.map(({ name }) => `-${name}`)]),
    );
    await writeFile(gate, "");
    await expect.poll(() => changes, { timeout: 10_000 }).toEqual([["+s__t1", "-s__old"]]);
    await fleet.tearDown();
  },
);

verifies(
  "catalogue:list-before-starts",
  "known servers wait in the queue; required, unknown and called ones start",
  async () => {
    let release = (): void => {};
    const startKnownAfter = new Promise<void>((resolve) => (release = resolve));
    const servers = [gated("s"), gated("called"), { ...gated("required"), required: true }, gated("unknown")];
    const known = ["s", "called", "required"].map((id) => [id, [definition("t0")]] as const);
    const fleet = await startServerFleet(
      { servers },
      { catalogueSeed: new Map(known), startKnownAfter, waitMs: 0 },
    );
    const phases = (): string =>
      [...fleet.status().values()].map(({ phase, state }) => state ?? phase).join(" ");
    (await fleet.acquire("called")).release();
    await expect.poll(phases, { timeout: 10_000 }).toBe("queued ready ready ready");
    release();
    await expect.poll(phases, { timeout: 10_000 }).toBe("ready ready ready ready");
    await fleet.tearDown();
  },
);

verifies(
  "catalogue:seed-failed",
  "a first start that fails for good withdraws them; a retry does not",
  async () => {
    const missing: StdioServerConfig = { kind: "stdio", id: "s", command: "no-such-program-anywhere" };
    const gone = await mountProtocolBridge({ servers: [missing] }, { catalogueSeed: seedOf("t0") });
    expect(gone.box.descriptors()).toEqual([]);
    await gone.fleet.tearDown();
    const crashing = gated("s", "--fail", script); // The file exists.
    const trying = await mountProtocolBridge(
      { servers: [crashing] },
      { catalogueSeed: seedOf("t0"), supervision: { firstDelayMs: 60_000 } },
    );
    expect(trying.fleet.status().get("s")).toMatchObject({ state: "restarting" });
    expect(trying.box.descriptors().map(({ name }) => name)).toEqual(["s__t0"]);
    await trying.fleet.tearDown();
  },
);

verifies("catalogue:listed", "every good listing is reported, also one without a change", async () => {
  const listed: string[] = [];
  const onListed = (endpoint: ServerEndpoint): void =>
    void listed.push(`${endpoint.config.id} ${endpoint.status().toolCount}`);
  const servers = [gated("s"), { ...gated("t", "--count", "3"), excludeTools: ["t0"] }];
  const fleet = await startServerFleet({ servers }, { onListed, catalogueSeed: seedOf("t0") });
  expect(listed.toSorted()).toEqual(["s 1", "t 3"]);
  await fleet.restart("s");
  expect(listed).toHaveLength(3);
  await fleet.tearDown();
});

verifies(
  "catalogue:listing",
  "everything a server offers is listed, page by page, as it was sent",
  async () => {
    const fleet = await startServerFleet({ servers: [gated("s", "--count", "2")] });
    const endpoint = fleet.endpoint("s");
    if (!endpoint) throw new Error("there is no endpoint");
    expect(await listServer(endpoint)).toEqual({
      tools: ["t0", "t1"].map(definition),
      prompts: [{ name: "greet" }],
      resources: [
        { uri: "test://a", name: "a" },
        { uri: "test://b", name: "b" },
      ],
      templates: [], // The server does not know the method.
      instructions: "Wait for the gate.",
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: "gated", version: expect.any(String) as string },
    });
    await fleet.tearDown();
    await expect(listServer(endpoint)).rejects.toThrow("closed");
  },
);

verifies("catalogue:seed", "the tools of many servers appear in one change of the box", async () => {
  await using dir = await tempDir();
  const ids = Array.from({ length: 20 }, (_, at) => `s${at}`);
  const catalogueSeed = new Map(ids.map((id) => [id, [definition("t0")]]));
  const { box, fleet } = await mountProtocolBridge({ servers: [] }, { catalogueSeed });
  let changes = 0;
  box.onChange(() => changes++);
  const adding = ids.map((id) => fleet.addServer(gated(id, "--gate", dir.at("gate"))));
  expect(box.descriptors()).toHaveLength(20); // A reader never sees an old state.
  await Promise.resolve();
  expect(changes).toBe(1);
  await fleet.tearDown();
  await Promise.all(adding);
});

verifies(
  "catalogue:seed-first",
  "waiting clients get the tools of the last run before the process of their server is started",
  async () => {
    const order: string[] = [];
    const start = async (): Promise<never> => {
      order.push("started");
      throw new Error("not here");
    };
    const fleet = await startServerFleet(
      { servers: [] },
      {
        catalogueSeed: seedOf("t0"),
        supervision: false,
        transport: () => ({ start, send: start, close: async () => {} }),
      },
    );
    fleet.onChange(({ tools }) => order.push(tools.length > 0 ? "offered" : "withdrawn"));
    setImmediate(() => order.push("turn"));
    await fleet.addServer(gated("s"));
    expect(order).toEqual(["offered", "turn", "started", "withdrawn"]);
    await fleet.tearDown();
  },
);
