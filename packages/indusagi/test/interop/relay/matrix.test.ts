import { verifies } from "@indus/testkit";
import type { ProtocolEra } from "indusagi/interop";
import { expect } from "vitest";
import { type LiveClient, liveClient, liveGateway } from "./live-gateway.ts";

const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 10_000 });

/** Asks for everything that changes, as each era does it. */
async function subscribe({ sdk }: LiveClient, era: ProtocolEra): Promise<void> {
  const uri = "live://clock";
  if (era === "legacy") await sdk.subscribeResource({ uri });
  else
    await sdk.listen({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [uri],
    });
}

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/** The features, each through one client and one server. */
const FEATURES: {
  readonly [feature: string]: (client: LiveClient, era: ProtocolEra) => Promise<void>;
} = {
  tool: async ({ call }) => expect(await call("up__tool", { a: [1] })).toEqual({ name: "up", a: [1] }),
  elicit: async ({ call }) => {
    expect(await call("up__elicit")).toEqual({ answer: { action: "accept", content: { name: "Ada" } } });
    expect(await call("up__visit")).toEqual({ answer: { action: "accept" } });
  },
  sample: async ({ call }) =>
    expect(await call("up__sample")).toMatchObject({ answer: { content: { text: "hi from Ada" } } }),
  roots: async ({ call }) =>
    expect(await call("up__roots")).toEqual({ answer: { roots: [{ uri: "file:///Ada", name: "Ada" }] } }),
  progress: async ({ call }) => {
    const notes: unknown[] = [];
    expect(await call("up__progress", {}, { onprogress: (note) => void notes.push(note) })).toBe("done");
    expect(notes[0]).toMatchObject({ progress: 1, total: 2, message: "step 1" });
  },
  cancel: async ({ call, seen }) => {
    const giveUp = new AbortController();
    const calling = call("up__cancel", {}, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 20);
    await expect(calling).rejects.toThrow();
    await expect.poll(async () => (await seen()).cancelled, { timeout: 10_000 }).toBe(1);
  },
  "list-changed": async (client, era) => {
    await client.sdk.listResources();
    await client.sdk.listPrompts();
    await subscribe(client, era);
    for (const list of ["tools", "prompts", "resources"]) {
      await client.call("up__change", { list });
      await soon(() => client.told(`notifications/${list}/list_changed`).length).toBeGreaterThan(0);
    }
    expect((await client.sdk.listTools()).tools.map(({ name }) => name)).toContain("up__extra");
    expect((await client.sdk.listPrompts()).prompts.map(({ name }) => name)).toContain("up__extra");
    expect((await client.sdk.listResources()).resources.map(({ uri }) => uri)).toContain("live://extra");
    await client.call("up__update", { uri: "live://clock" });
    await soon(() => client.told("notifications/resources/updated")).toMatchObject([{ uri: "live://clock" }]);
  },
  log: async (client, era) => {
    const { sdk } = client;
    const levels = (): unknown[] => client.told("notifications/message").map(({ level }) => level);
    if (era === "legacy") await sdk.setLoggingLevel("info");
    const logged = { name: "up__log", arguments: { data: "careful" } };
    const _meta = { [LOG_LEVEL]: "info" };
    await sdk.callTool(era === "legacy" ? logged : { ...logged, _meta });
    await soon(levels).toEqual(["info", "error"]);
    expect(client.told("notifications/message")[0]).toMatchObject({ data: "careful", logger: "up" });
  },
};

for (const client of ["legacy", "modern"] as const)
  for (const server of ["legacy", "modern"] as const)
    for (const [feature, works] of Object.entries(FEATURES))
      verifies("relay:matrix", `${feature}: ${client} client, ${server} server`, async () => {
        await using gateway = await liveGateway({ up: { era: server } });
        await using connected = await liveClient(gateway.host, client);
        await works(connected, client);
      });
