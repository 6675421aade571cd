import { verifies } from "@indus/testkit";
import type { ProtocolEra, ToolReview } from "indusagi/interop";
import { expect, vi } from "vitest";
import { hintedGateway } from "./hinted-gateway.ts";

const HOUR_MS = 3_600_000;
/** What we state for lists whose changes we are told about. */
const OURS_MS = 5_000;
const LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] as const;
const MEMBERS = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;

const lasting = (ttlMs: number, cacheScope: "public" | "private" = "public") => ({ ttlMs, cacheScope });
const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 20_000, interval: 20 });

verifies(
  "relay:cache-kept",
  "within its lifetime a list is requested once, whoever lists it and however often, until a change is reported",
  async () => {
    await using gateway = await hintedGateway({ up: { hint: lasting(HOUR_MS) } });
    const [modern, legacy] = [await gateway.client("modern"), await gateway.client("legacy")];
    const meta = { _meta: { "example.org/mine": 1 } };
    for (const method of LISTS) {
      for (const client of [modern, legacy, modern]) await client.ask(method, meta);
      expect(await gateway.times("up", method), method).toBe(1);
    }
    // The subscription may begin after the lists were read.
    await soon(() => modern.call("up__listening")).toBe(1);
    await modern.call("up__grow");
    for (const method of LISTS) {
      await soon(async () => (await legacy.ask(method))[MEMBERS[method]]).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: expect.stringMatching("item1") })]),
      );
      expect(await gateway.times("up", method), method).toBe(2);
    }
  },
);

verifies(
  "relay:cache-kept",
  "a change that is reported while a list is being read makes what was read stale",
  async () => {
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    let isHeld = true;
    const before = async (method: string): Promise<void> => {
      if (method === "resources/list" && isHeld) await held;
    };
    await using gateway = await hintedGateway({ up: { hint: lasting(HOUR_MS), before } });
    const client = await gateway.client();
    await soon(() => client.call("up__listening")).toBe(1);
    const reading = client.ask("resources/list");
    await soon(() => gateway.times("up", "resources/list")).toBe(1);
    isHeld = false;
    await client.call("up__grow");
    answer();
    expect((await reading)["resources"]).toHaveLength(1);
    expect((await client.ask("resources/list"))["resources"]).toHaveLength(2);
  },
);

verifies("relay:cache-kept", "a server that was started again is asked again", async () => {
  await using gateway = await hintedGateway({ up: { hint: lasting(HOUR_MS) } });
  const client = await gateway.client();
  for (const method of LISTS) await client.ask(method);
  await client.call("up__grow", { silently: true });
  for (const method of LISTS) {
    await gateway.kill("up");
    // The new process knows nothing of the growth, and has not been asked before.
    await soon(async () => (await client.ask(method))["ttlMs"]).toBeGreaterThan(0);
    expect(await gateway.times("up", method), method).toBe(1);
  }
});

verifies(
  "relay:cache-kept",
  "a prompt or a resource in no known list is looked for, even if the lists should still be good",
  async () => {
    await using gateway = await hintedGateway({ up: { hint: lasting(HOUR_MS), announces: false } });
    const client = await gateway.client();
    for (const method of LISTS) await client.ask(method);
    await client.call("up__grow");
    expect(await client.ask("prompts/get", { name: "up__item1" })).toMatchObject({ messages: [{}] });
    // Lists are asked again for an unknown URI after five seconds.
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 6_000);
    try {
      expect(await client.ask("resources/read", { uri: "hinted://item1" })).toMatchObject({ contents: [{}] });
    } finally {
      later.mockRestore();
    }
  },
);

verifies(
  "relay:cache-renewed",
  "tools of a server that reports no changes are listed again for the next list of a client, once their lifetime is over",
  async () => {
    await using gateway = await hintedGateway({
      short: { hint: lasting(1), announces: false },
      none: { hint: lasting(0), announces: false },
      long: { hint: lasting(HOUR_MS), announces: false },
      old: { era: "legacy", announces: false },
    });
    for (const era of ["modern", "legacy"] as const) {
      const client = await gateway.client(era);
      const count = async (server: string): Promise<number> => {
        const { tools } = await client.ask("tools/list");
        return (tools as readonly { readonly name: string }[]).filter(({ name }) =>
          name.startsWith(`${server}__item`),
        ).length;
      };
      for (const server of ["short", "none", "long", "old"]) {
        const known = await count(server);
        await client.call(`${server}__grow`);
        const isRenewed = server === "short" || server === "none";
        if (isRenewed) await soon(() => count(server)).toBe(known + 1);
        else expect(await count(server)).toBe(1);
      }
    }
    expect(await gateway.times("long", "tools/list")).toBe(1);
    expect(await gateway.times("old", "tools/list")).toBe(1);
  },
);

verifies(
  "relay:cache-renewed",
  "a server that hangs delays the lists of clients only briefly, and once",
  async () => {
    let isHanging = false;
    const before = async (method: string): Promise<void> => {
      if (isHanging && method === "tools/list") await new Promise(() => {});
    };
    await using gateway = await hintedGateway({ up: { hint: lasting(0), announces: false, before } });
    const client = await gateway.client();
    isHanging = true;
    // The first waits for at most 1.5 s, and the others not at all.
    for (let at = 0; at < 20; at++) expect((await client.ask("tools/list"))["tools"]).toHaveLength(4);
    expect(await gateway.times("up", "tools/list")).toBe(2);
  },
);

interface Stated {
  readonly ttlMs: number;
  readonly cacheScope: string;
}

/** What a client of the modern era is told about each list. */
async function statedBy(...given: Parameters<typeof hintedGateway>): Promise<readonly Stated[]> {
  await using gateway = await hintedGateway(...given);
  const client = await gateway.client();
  const stated: Stated[] = [];
  for (const method of LISTS) {
    const { ttlMs, cacheScope } = await client.ask(method);
    stated.push({ ttlMs: Number(ttlMs), cacheScope: String(cacheScope) });
  }
  return stated;
}

verifies(
  "relay:cache-stated",
  "a merged list states the shortest lifetime that is left of its parts, and private if one part is",
  async () => {
    const long = { hint: lasting(HOUR_MS) };
    for (const { ttlMs, cacheScope } of await statedBy({ long, shorter: { hint: lasting(HOUR_MS / 2) } })) {
      expect(ttlMs).toBeGreaterThan(HOUR_MS / 2 - 60_000);
      expect(ttlMs).toBeLessThanOrEqual(HOUR_MS / 2);
      expect(cacheScope).toBe("public");
    }
    for (const { ttlMs, cacheScope } of await statedBy({
      long,
      own: { hint: lasting(HOUR_MS, "private") },
    })) {
      expect(ttlMs).toBeGreaterThan(HOUR_MS - 60_000);
      expect(cacheScope).toBe("private");
    }
    // All pages of a list count, also those of one server.
    const pages = [lasting(HOUR_MS), lasting(HOUR_MS / 4, "private"), lasting(HOUR_MS)];
    for (const { ttlMs, cacheScope } of await statedBy({ paged: { pages } })) {
      expect(ttlMs).toBeGreaterThan(HOUR_MS / 4 - 60_000);
      expect(ttlMs).toBeLessThanOrEqual(HOUR_MS / 4);
      expect(cacheScope).toBe("private");
    }
    // Legacy servers state nothing: a short time of ours if they report changes.
    for (const stated of await statedBy({ long, old: { era: "legacy" } }))
      expect(stated).toEqual({ ttlMs: OURS_MS, cacheScope: "private" });
    for (const other of [{ era: "legacy", announces: false } as const, { hint: lasting(0) }])
      for (const { ttlMs } of await statedBy({ long, other })) expect(ttlMs).toBe(0);
  },
);

verifies("relay:cache-stated", "the lifetime that is stated is what is left of it", async () => {
  await using gateway = await hintedGateway({ up: { hint: lasting(HOUR_MS) } });
  const client = await gateway.client();
  for (const method of LISTS) {
    const first = Number((await client.ask(method))["ttlMs"]);
    await soon(async () => Number((await client.ask(method))["ttlMs"])).toBeLessThan(first);
    expect(await gateway.times("up", method)).toBe(1);
  }
});

verifies(
  "relay:cache-stated",
  "what may differ between clients is private: a filtered view, withheld tools, and a server with an instance per client",
  async () => {
    const up = { hint: lasting(HOUR_MS) };
    const scopes = (stated: readonly Stated[]): readonly string[] => [
      ...new Set(stated.map(({ cacheScope }) => cacheScope)),
    ];
    const keeps = (): boolean => true;
    expect(scopes(await statedBy({ up }))).toEqual(["public"]);
    expect(scopes(await statedBy({ up }, { keeps }))).toEqual(["private"]);
    expect(scopes(await statedBy({ up }, { keeps, isSameForAll: () => true }))).toEqual(["public"]);
    expect(scopes(await statedBy({ up: { ...up, row: { share: "session" } } }))).toEqual(["private"]);
    // A tool that a review withholds here may be offered elsewhere.
    const toolReview: ToolReview = {
      review: ({ tools: [first, ...offered] }) => {
        return { offered, withheld: new Map(first ? [[first.name, "it has changed"]] : []) };
      },
      onChange: () => () => {},
    };
    const [tools, ...others] = await statedBy({ up }, {}, { toolReview });
    expect(tools?.cacheScope).toBe("private");
    expect(scopes(others)).toEqual(["public"]);
    // Another server that this client does not see has no say.
    const hidden = { hint: lasting(0, "private") };
    const seen = await statedBy({ up, hidden }, { keeps: (server) => server === "up" });
    for (const { ttlMs } of seen) expect(ttlMs).toBeGreaterThan(0);
  },
);

verifies(
  "relay:cache-read",
  "a read resource keeps the hint of its server; an answer to questions and a client of the legacy era get none",
  async () => {
    const up = { hint: lasting(HOUR_MS) };
    await using gateway = await hintedGateway({ up, old: { era: "legacy" } });
    const client = await gateway.client();
    const read = (uri: string, params: object = {}) => client.ask("resources/read", { uri, ...params });
    await client.ask("resources/list");
    const named = (server: string) => `indus://resource/${server}/hinted://item0`;
    for (const _ of [1, 2])
      expect(await read(named("up"))).toMatchObject({ ttlMs: HOUR_MS, cacheScope: "public" });
    // Contents are not kept here.
    expect(await gateway.times("up", "resources/read")).toBe(2);
    expect(await read(named("old"))).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    const asks = "indus://resource/up/hinted://asks";
    const question = await read(asks);
    expect(question).toMatchObject({ resultType: "input_required" });
    expect(question).not.toHaveProperty("ttlMs");
    const { requestState } = question;
    const inputResponses = { sure: { action: "accept", content: {} } };
    expect(await read(asks, { requestState, inputResponses })).toMatchObject({
      contents: [{ text: "read hinted://asks" }],
      ttlMs: 0,
      cacheScope: "private",
    });
    const legacy = await gateway.client("legacy");
    const answers = [
      ...(await Promise.all(LISTS.map((method) => legacy.ask(method)))),
      await legacy.ask("resources/read", { uri: named("up") }),
    ];
    for (const answer of answers) {
      expect(answer).not.toHaveProperty("ttlMs");
      expect(answer).not.toHaveProperty("cacheScope");
    }
    await using filtered = await hintedGateway({ up }, { keeps: () => true });
    const other = await filtered.client();
    expect(await other.ask("resources/read", { uri: named("up") })).toMatchObject({
      ttlMs: HOUR_MS,
      cacheScope: "private",
    });
  },
);

/** Every request for one server that carries a client's `_meta`. */
const REQUESTS: { readonly [method: string]: object } = {
  "tools/call": { name: "up__item0", arguments: {} },
  "resources/read": { uri: "hinted://item0" },
  "prompts/get": { name: "up__item0" },
  "completion/complete": {
    ref: { type: "ref/prompt", name: "up__item0" },
    argument: { name: "a", value: "" },
  },
};
const ERAS: readonly ProtocolEra[] = ["legacy", "modern"];

verifies(
  "relay:trace",
  "traceparent and tracestate reach the server unchanged in all cells of eras; baggage only if its row says so",
  async () => {
    const trace = {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7",
    };
    const sent = { ...trace, baggage: "userId=alice", "example.org/other": 1 };
    for (const era of ERAS)
      for (const passBaggage of [false, true]) {
        await using gateway = await hintedGateway({ up: { era, row: { passBaggage } } });
        for (const clientEra of ERAS) {
          const client = await gateway.client(clientEra);
          for (const [method, params] of Object.entries(REQUESTS)) {
            await client.ask(method, { ...params, _meta: sent });
            const cell = `${method} of a ${clientEra} client to a ${era} server`;
            const received = await gateway.metaOf("up", method);
            expect(received, cell).toMatchObject({ ...trace, "example.org/other": 1 });
            expect(received?.["baggage"], cell).toBe(passBaggage ? sent.baggage : undefined);
          }
        }
      }
  },
);
