import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { type LiveClient, liveClient, liveGateway } from "./live-gateway.ts";

const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 10_000 });
const CLOCK = "live://clock";
const UPDATED = "notifications/resources/updated";
const MESSAGE = "notifications/message";
const aWhile = (ms = 60): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const texts = (client: LiveClient): unknown[] => client.told(MESSAGE).map(({ data }) => data);

for (const era of ["legacy", "modern"] as const)
  verifies(
    "relay:watches",
    `${era} server: counted, renewed with one update, ended with the last`,
    async () => {
      await using gateway = await liveGateway({ up: { era } }, { supervision: { firstDelayMs: 1 } });
      await using ada = await liveClient(gateway.host, "legacy");
      const watches = async (): Promise<readonly string[]> => {
        const { subscribed, listening } = await ada.seen();
        return [
          ...subscribed,
          ...listening.flatMap(({ resourceSubscriptions = [] }) => resourceSubscriptions),
        ];
      };
      await ada.sdk.subscribeResource({ uri: CLOCK });
      {
        await using bob = await liveClient(gateway.host, "modern");
        await bob.sdk.listen({ resourceSubscriptions: [CLOCK] });
        expect(await watches()).toEqual([CLOCK]);
        await ada.call("up__update", { uri: CLOCK });
        await soon(() => [ada, bob].map((client) => client.told(UPDATED).length)).toEqual([1, 1]);

        const [first] = gateway.starts.get("up") ?? [];
        await first?.close();
        await soon(() => [ada, bob].map((client) => client.told(UPDATED).length)).toEqual([2, 2]);
        await expect.poll(watches, { timeout: 10_000 }).toEqual([CLOCK]);
        await ada.sdk.unsubscribeResource({ uri: CLOCK });
        expect(await watches()).toEqual([CLOCK]);
      }
      await expect.poll(watches, { timeout: 10_000 }).toEqual([]);
      expect(ada.told(UPDATED)).toHaveLength(2);
      await expect(ada.sdk.subscribeResource({ uri: "live://nothing/here" })).rejects.toThrow("not found");
    },
  );

verifies(
  "relay:log-levels",
  "the most verbose level goes up, also after a restart; each client gets its own",
  async () => {
    await using gateway = await liveGateway({ up: {} }, { supervision: { firstDelayMs: 1 } });
    await using ada = await liveClient(gateway.host, "legacy", "Ada");
    await using bob = await liveClient(gateway.host, "legacy", "Bob");
    await ada.sdk.setLoggingLevel("error");
    await bob.sdk.setLoggingLevel("info");
    await ada.sdk.setLoggingLevel("warning");
    expect((await ada.seen()).levels).toEqual(["error", "info"]);
    await ada.call("up__log", { data: "a" });
    await bob.call("up__log", { data: "b" });
    await soon(() => [texts(ada), texts(bob)]).toEqual([["a"], ["b", "b"]]);

    await gateway.starts.get("up")?.[0]?.close();
    await expect.poll(async () => (await ada.seen()).levels, { timeout: 10_000 }).toEqual(["info"]);
    // A request of the modern era asks for more.
    await using eve = await liveClient(gateway.host, "modern", "Eve");
    const _meta = { "io.modelcontextprotocol/logLevel": "debug" };
    await eve.sdk.callTool({ name: "up__log", arguments: { data: "e" }, _meta });
    await soon(() => texts(eve)).toEqual(["e", "e", "e"]);
    await bob[Symbol.asyncDispose]();
    expect((await ada.seen()).level).toBe("debug");
    expect([texts(ada).length, texts(bob).length]).toEqual([1, 2]);
  },
);

verifies(
  "relay:no-guess",
  "what belongs to no call goes to the only user of a server, else to nobody",
  async () => {
    await using gateway = await liveGateway({ up: {} });
    await using ada = await liveClient(gateway.host, "legacy", "Ada");
    await using bob = await liveClient(gateway.host, "legacy", "Bob");
    await ada.call("up__log_later", { data: "for Ada" });
    await soon(() => texts(ada)).toEqual(["for Ada"]);
    expect(texts(bob)).toEqual([]);
    await bob.call("up__log_later", { data: "for whom?" });
    await aWhile();
    expect([texts(ada), texts(bob)]).toEqual([["for Ada"], []]);
    await bob.call("up__ask_later");
    await expect.poll(async () => (await bob.seen()).answers.length, { timeout: 10_000 }).toBe(1);
    expect((await bob.seen()).answers).toMatchObject([{ error: expect.stringContaining("no call") }]);
    // The end of an elicitation concerns the client that was asked.
    await ada.call("up__visit");
    await bob.call("up__visited");
    await soon(() => ada.told("notifications/elicitation/complete")).toEqual([{ elicitationId: "visit-1" }]);
    expect(bob.told("notifications/elicitation/complete")).toEqual([]);
  },
);

verifies(
  "relay:only-client",
  "the only client is asked at the start of a server, and announces its roots",
  async () => {
    await using gateway = await liveGateway({ up: { rootsAtStart: true } }, { isOnlyClient: true });
    await using ada = await liveClient(gateway.host, "legacy", "Ada");
    const answers = async (): Promise<unknown> => (await ada.seen()).answers;
    const roots = { roots: [{ uri: "file:///Ada", name: "Ada" }] };
    await expect.poll(answers, { timeout: 10_000 }).toEqual([roots]);
    await ada.sdk.sendRootsListChanged();
    await expect.poll(answers, { timeout: 10_000 }).toEqual([roots, roots]);
    expect((await ada.seen()).rootsChanged).toBe(1);
  },
);

verifies("relay:own-instance", "each client has its own server, and every question is answered", async () => {
  const rows = { up: { share: "session", rootsAtStart: true } } as const;
  await using gateway = await liveGateway(rows, { instances: { max: 2, idleMs: 60_000 } });
  const instances = (): number | undefined => gateway.fleet.status().get("up")?.instances;
  await using ada = await liveClient(gateway.host, "legacy", "Ada");
  await using bob = await liveClient(gateway.host, "legacy", "Bob");
  expect([(await ada.sdk.listTools()).tools.length > 0, instances()]).toEqual([true, 0]);
  // Both at once: with one server for both, neither could be asked.
  const both = await Promise.all([ada, bob].map((client) => client.call("up__elicit")));
  expect(both).toMatchObject(["Ada", "Bob"].map((name) => ({ answer: { content: { name } } })));
  expect(instances()).toBe(2);
  await expect
    .poll(async () => (await ada.seen()).answers, { timeout: 10_000 })
    .toEqual([{ roots: [{ uri: "file:///Ada", name: "Ada" }] }]);
  await ada.call("up__log_later", { data: "mine" });
  await soon(() => texts(ada)).toEqual(["mine"]);
  expect(texts(bob)).toEqual([]);
  await bob.sdk.sendRootsListChanged();
  await expect.poll(async () => (await bob.seen()).rootsChanged, { timeout: 10_000 }).toBe(1);
  expect((await ada.seen()).rootsChanged).toBe(0);

  // Both watch the same resource of their own servers.
  for (const client of [ada, bob]) await client.sdk.subscribeResource({ uri: CLOCK });
  await ada.call("up__update", { uri: CLOCK });
  await soon(() => ada.told(UPDATED).length).toBe(1);
  expect(bob.told(UPDATED)).toEqual([]);

  await using eve = await liveClient(gateway.host, "legacy", "Eve");
  await expect(eve.sdk.callTool({ name: "up__tool" })).resolves.toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("all 2 instances are in use") }],
  });
  await bob[Symbol.asyncDispose]();
  await soon(instances).toBe(1);
  expect(await eve.call("up__tool")).toEqual({ name: "up" });
});

for (const era of ["legacy", "modern"] as const)
  verifies("relay:withdrawn", `a ${era} client is not asked any longer, and its call goes on`, async () => {
    await using gateway = await liveGateway({ up: {} });
    await using ada = await liveClient(gateway.host, era);
    const asked: string[] = [];
    ada.sdk.setRequestHandler("elicitation/create", (_request, ctx) => {
      asked.push("asked");
      return new Promise((resolve) => {
        const late = setTimeout(() => resolve({ action: "decline" }), 300);
        ctx.mcpReq.signal.addEventListener("abort", () => {
          asked.push("withdrawn");
          clearTimeout(late);
          resolve({ action: "cancel" });
        });
      });
    });
    expect(await ada.call("up__withdraw")).toBe("withdrawn");
    expect(asked[0]).toBe("asked");
    // In the modern era the question is in an answer, which cannot be taken back.
    if (era === "legacy") await soon(() => asked).toEqual(["asked", "withdrawn"]);
    expect((await ada.seen()).answers).toEqual([]);
  });

/** The URIs in the questions for a model that a client gets from now on. */
function askedUris({ sdk }: LiveClient): string[] {
  const uris: string[] = [];
  sdk.setRequestHandler("sampling/createMessage", ({ params: { messages } }) => {
    const last = messages.at(-1) as unknown as {
      readonly content: {
        readonly content: readonly { readonly uri?: string; readonly resource?: { readonly uri: string } }[];
      };
    };
    uris.push(...last.content.content.map(({ uri, resource }) => uri ?? resource?.uri ?? ""));
    return { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
  });
  return uris;
}

const SHOWN_CLOCK = `indus://resource/up/${CLOCK}`;
const ASKED = [SHOWN_CLOCK, SHOWN_CLOCK, "live://hidden", "live://hidden"];

for (const server of ["legacy", "modern"] as const)
  verifies(
    "relay:rewritten",
    `${server} server: resources in its questions for a model have the names that clients read`,
    async () => {
      await using gateway = await liveGateway({ up: { era: server }, other: {} });
      for (const era of ["legacy", "modern"] as const) {
        await using client = await liveClient(gateway.host, era);
        await client.sdk.listResources();
        const uris = askedUris(client);
        await client.call("up__sample", { uris: [CLOCK, "live://hidden"] });
        expect(uris).toEqual(ASKED);
        // A link of a question can be read as one of a result.
        for (const uri of [SHOWN_CLOCK, "live://hidden"])
          expect(await client.sdk.readResource({ uri })).toMatchObject({ contents: [{ uri }] });
      }
    },
  );

verifies("relay:rewritten", "also in questions outside of calls", async () => {
  await using gateway = await liveGateway({ up: {}, other: {} }, { isOnlyClient: true });
  await using client = await liveClient(gateway.host, "legacy");
  await client.sdk.listResources();
  const uris = askedUris(client);
  await client.call("up__ask_later", { uris: [CLOCK, "live://hidden"] });
  await soon(() => uris).toEqual(ASKED);
});
