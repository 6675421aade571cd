import { verifies } from "@indus/testkit";
import { createRelay, type HostProviders, ProtocolFault } from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import { expect } from "vitest";
import { Shelf } from "../../mcp/kit/shelf.ts";
import { inProcess } from "../kit/scripted.ts";
import { shelfFleet } from "./shelf-fleet.ts";

const hang = (): Promise<never> => new Promise(() => {});
const refuse = (): never => {
  throw new Error("the disk is gone");
};

/** Fails or hangs in every list. */
const broken = (list: () => never | Promise<never>): HostProviders => ({
  resources: { list, templates: list, read: list },
  prompts: { list, get: list },
});

const LISTS = {
  resources: [
    { uri: "test://a", name: "a" },
    { uri: "test://b", name: "b" },
  ],
  templates: [{ uriTemplate: "test://{id}", name: "any" }],
  prompts: [{ name: "greet", arguments: [{ name: "how", required: true }] }],
} as const;

verifies("relay:list", "every list of every server, in both eras and in configuration order", async () => {
  const fleet = await shelfFleet({ one: new Shelf(), "two-legacy": new Shelf(), none: {} });
  const relay = createRelay(fleet);
  for (const kind of ["resources", "templates", "prompts"] as const)
    expect(await relay.list(kind)).toMatchObject([
      { server: "one", items: LISTS[kind] },
      { server: "two-legacy", items: LISTS[kind] },
      { server: "none", items: [] }, // It declares nothing, so it is not asked.
    ]);
  expect(await relay.list("prompts", { servers: ["two-legacy"] })).toHaveLength(1);
  await fleet.tearDown();
});

verifies("relay:isolated", "a failing, a hanging and a missing server have their own faults", async () => {
  const looping: HostProviders = {
    resources: {
      list: () => ({ resources: [{ uri: "test://l", name: "l" }, "no item"], nextCursor: "again" }),
      read: () => undefined,
    },
  };
  const fleet = await shelfFleet(
    { fails: broken(refuse), hangs: broken(hang), loops: looping, works: new Shelf() },
    {
      down: () => {
        throw new Error("no such program");
      },
      mute: () => inProcess({ era: "legacy" }),
    },
  );
  const relay = createRelay(fleet);
  const lists = await relay.list("resources", {
    servers: ["fails", "hangs", "down", "loops", "works", "mute", "unknown"],
    timeoutMs: 500,
  });
  const seen = Object.fromEntries(lists.map(({ server, ...list }) => [server, list]));
  expect(seen["fails"]).toMatchObject({ items: [], fault: { kind: "protocol" } });
  expect(seen["hangs"]).toMatchObject({ items: [], fault: { kind: "timeout", server: "hangs" } });
  expect(seen["down"]?.fault).toBeInstanceOf(ProtocolFault);
  expect(seen["loops"]).toEqual({
    items: [
      { uri: "test://l", name: "l" },
      { uri: "test://l", name: "l" },
    ],
    note: "page 2 leads back to an earlier page; the listing ends there",
  });
  expect(seen["works"]).toMatchObject({ items: LISTS.resources });
  expect(seen["mute"]).toEqual({ items: [] });
  expect(seen["unknown"]?.fault?.message).toContain('"unknown"');
  const given = new AbortController();
  const listing = relay.list("resources", { signal: given.signal });
  given.abort(new Error("enough"));
  await expect(listing).rejects.toThrow("enough");
  await fleet.tearDown();
});

verifies("relay:read", "resources and prompts are read as received, and refusals are faults", async () => {
  const fleet = await shelfFleet({ one: new Shelf(), "two-legacy": new Shelf(), none: {} });
  const relay = createRelay(fleet);
  for (const server of ["one", "two-legacy"]) {
    expect(await relay.readResource(server, "test://a")).toMatchObject({
      contents: [{ uri: "test://a", text: "A" }],
    });
    const prompt = { name: "greet", args: { how: "hello" } };
    expect(await relay.getPrompt(server, prompt)).toMatchObject({ description: "A greeting." });
    await expect(relay.readResource(server, "test://none")).rejects.toMatchObject({
      kind: "protocol",
      rpc: { message: expect.stringContaining("test://none") },
    });
    await expect(relay.getPrompt(server, { name: "scold" })).rejects.toBeInstanceOf(ProtocolFault);
  }
  await expect(relay.readResource("none", "test://a")).rejects.toThrow(
    'server "none" does not support this: it did not declare the capability "resources"',
  );
  await expect(relay.readResource("absent", "test://a")).rejects.toMatchObject({ kind: "not_connected" });
  await fleet.tearDown();
});

verifies("relay:read", "questions of a server go to the caller; a hanging read ends in time", async () => {
  const asking: HostProviders = {
    resources: {
      list: () => ({ resources: [] }),
      read: async (uri, { caller }) => {
        if (uri === "test://hang") return hang();
        const answers = await caller.ask?.({
          who: {
            method: "elicitation/create",
            params: { mode: "form", message: "Who?", requestedSchema: {} },
          },
        });
        return { contents: [{ uri, text: JSON.stringify(answers?.["who"]) }] };
      },
    },
  };
  const fleet = await shelfFleet({ asks: asking });
  const relay = createRelay(fleet);
  const caller: Caller = {
    key: "test",
    can: { elicit: { form: true } },
    ask: async () => ({ who: { action: "accept", content: { name: "Ada" } } }),
  };
  const read = await relay.readResource("asks", "test://x", { caller });
  expect(read).toMatchObject({ contents: [{ text: expect.stringContaining("Ada") }] });
  await expect(relay.readResource("asks", "test://hang", { timeoutMs: 300 })).rejects.toMatchObject({
    kind: "timeout",
  });
  await fleet.tearDown();
});

verifies("relay:owners", "listed URIs first, then templates, and failed servers are named", async () => {
  const only = (uri: string): HostProviders => ({
    resources: { list: () => ({ resources: [{ uri, name: "x" }] }), read: () => undefined },
  });
  const fleet = await shelfFleet({
    shelf: new Shelf(),
    twin: only("test://a"),
    other: only("test://c"),
    fails: broken(refuse),
  });
  const relay = createRelay(fleet);
  expect(await relay.ownersOf("test://c")).toMatchObject({
    servers: ["other"],
    by: "uri",
    unknown: [{ server: "fails" }],
  });
  expect(await relay.ownersOf("test://a")).toMatchObject({ servers: ["shelf", "twin"], by: "uri" });
  expect(await relay.ownersOf("test://new")).toMatchObject({ servers: ["shelf"], by: "template" });
  expect(await relay.ownersOf("file:///x")).toMatchObject({ servers: [], by: "template" });
  await fleet.tearDown();
});
