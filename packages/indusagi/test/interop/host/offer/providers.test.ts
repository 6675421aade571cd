import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  createServerEndpoint,
  type HostProviders,
  type ProviderRequest,
  type SessionNotification,
  serveHttp,
} from "indusagi/interop";
import { expect } from "vitest";
import { hostPair } from "../host-pair.ts";
import { TalkingBox } from "../talking-box.ts";

/** One resource, one template, one prompt and a completion; the prompt asks for a name before it answers. */
class Shelf implements HostProviders {
  readonly watching: string[] = [];
  readonly requests: ProviderRequest[] = [];
  #updated: (uri: string) => void = () => {};
  #listChanged: () => void = () => {};

  readonly resources = {
    list: ({ cursor }: { cursor?: string }) =>
      cursor === "2"
        ? { resources: [{ uri: "test://b", name: "b" }] }
        : { resources: [{ uri: "test://a", name: "a" }], nextCursor: "2" },
    templates: () => ({ resourceTemplates: [{ uriTemplate: "test://{id}", name: "any" }] }),
    read: (uri: string, request: ProviderRequest) => {
      this.requests.push(request);
      return uri === "test://a" ? { contents: [{ uri, text: "A" }] } : undefined;
    },
    watch: (uri: string) => void this.watching.push(`+${uri}`),
    unwatch: (uri: string) => void this.watching.push(`-${uri}`),
    onUpdated: (listener: (uri: string) => void) => {
      this.#updated = listener;
      return () => (this.#updated = () => {});
    },
    onListChanged: (listener: () => void) => {
      this.#listChanged = listener;
      return () => (this.#listChanged = () => {});
    },
  };

  readonly prompts = {
    list: () => ({ prompts: [{ name: "greet", arguments: [{ name: "how" }] }] }),
    get: async (name: string, args: { readonly [argument: string]: string }, { caller }: ProviderRequest) => {
      if (name !== "greet") return undefined;
      const answers = await caller.ask?.({
        who: {
          method: "elicitation/create",
          params: { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } },
        },
      });
      const text = `${args["how"]} ${JSON.stringify(answers?.["who"])}`;
      return { messages: [{ role: "user", content: { type: "text", text } }] };
    },
  };

  complete = ({ argument }: { argument: { value: string } }) => ({
    completion: { values: [`${argument.value}!`], hasMore: false },
  });

  update(uri: string): void {
    this.#updated(uri);
  }

  changeList(): void {
    this.#listChanged();
  }
}

for (const era of ["legacy", "modern"] as const) {
  verifies("host:providers", `${era}: resources, templates, prompts and completion are served`, async () => {
    const shelf = new Shelf();
    await using pair = await hostPair(era, new TalkingBox(), {
      providers: shelf,
      relays: { elicit: { form: true } },
    });
    const session = pair.endpoint.session();
    const ask = (method: string, params: object): Promise<unknown> =>
      session.request(
        method,
        { ...params },
        {
          caller: {
            key: "me",
            can: { elicit: { form: true } },
            ask: async (requests) =>
              Object.fromEntries(
                Object.keys(requests).map((key) => [key, { action: "accept", content: {} }]),
              ),
          },
        },
      );
    expect(session.capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {}, completions: {} });
    expect(await ask("resources/list", {})).toMatchObject({
      nextCursor: "2",
      resources: [{ uri: "test://a" }],
    });
    expect(await ask("resources/list", { cursor: "2" })).toMatchObject({ resources: [{ uri: "test://b" }] });
    expect(await ask("resources/templates/list", {})).toMatchObject({
      resourceTemplates: [{ uriTemplate: "test://{id}" }],
    });
    expect(
      await ask("resources/read", { uri: "test://a", _meta: { "example.org/trace": "1" } }),
    ).toMatchObject({
      contents: [{ uri: "test://a", text: "A" }],
    });
    expect(shelf.requests[0]?.meta).toMatchObject({ "example.org/trace": "1" });
    await expect(ask("resources/read", { uri: "test://none" })).rejects.toMatchObject({
      rpc: { message: expect.stringContaining("test://none"), data: { uri: "test://none" } },
    });
    expect(await ask("prompts/list", {})).toMatchObject({ prompts: [{ name: "greet" }] });
    await expect(ask("prompts/get", { name: "scold" })).rejects.toMatchObject({
      rpc: { code: -32602, message: expect.stringContaining("scold") },
    });
    expect(
      await ask("completion/complete", {
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "how", value: "hel" },
      }),
    ).toMatchObject({ completion: { values: ["hel!"] } });
  });
}

verifies("host:providers", "a prompt can ask a question before it answers", async () => {
  await using pair = await hostPair("legacy", new TalkingBox(), {
    providers: new Shelf(),
    relays: { elicit: { form: true } },
  });
  const caller = {
    key: "me",
    can: { elicit: { form: true } },
    ask: async (requests: object) =>
      Object.fromEntries(Object.keys(requests).map((key) => [key, { action: "decline" }])),
  };
  const request = { name: "greet", arguments: { how: "hello" } };
  const prompt = await pair.endpoint.session().request("prompts/get", request, { caller });
  expect(JSON.stringify(prompt)).toContain("hello");
  expect(JSON.stringify(prompt)).toContain("decline");
});

verifies(
  "host:providers",
  "updates of watched resources are sent, and nothing is watched after the connection",
  async () => {
    const shelf = new Shelf();
    const pair = await hostPair("legacy", new TalkingBox(), { providers: shelf });
    const heard: SessionNotification[] = [];
    const session = pair.endpoint.session();
    session.onNotification((notification) => void heard.push(notification));
    await session.request("resources/subscribe", { uri: "test://a" });
    shelf.update("test://a");
    shelf.update("test://b");
    shelf.changeList();
    await expect.poll(() => heard.length).toBe(2);
    expect(heard.map(({ method, params }) => [method, params?.["uri"]])).toEqual(
      expect.arrayContaining([
        ["notifications/resources/updated", "test://a"],
        ["notifications/resources/list_changed", undefined],
      ]),
    );
    await pair[Symbol.asyncDispose]();
    await expect.poll(() => shelf.watching).toEqual(["+test://a", "-test://a"]);
  },
);

verifies(
  "host:box-for-client",
  "a host can choose a box for each client, and follows the chosen one",
  async () => {
    const boxes = { ours: new TalkingBox(), strangers: new TalkingBox() };
    boxes.strangers.add("only_for_strangers");
    const host = createProviderHost(({ client }) =>
      client?.name === "indus-protocol-bridge" ? boxes.ours : boxes.strangers,
    );
    const pair = await hostPair("legacy", boxes.ours, { host });
    const before = await pair.endpoint.listTools();
    expect(before.map((tool) => tool.ref.name)).not.toContain("only_for_strangers");
    boxes.ours.add("late");
    await expect
      .poll(async () => (await pair.endpoint.listTools()).length, { timeout: 5000 })
      .toBe(before.length + 1);
    await pair[Symbol.asyncDispose]();
    expect(boxes.ours.listenerCount).toBe(0);
  },
);

verifies(
  "host:box-for-client",
  "over modern HTTP a box is chosen once per request, and followed",
  async () => {
    const box = new TalkingBox();
    const chosenFor: (string | undefined)[] = [];
    const host = createProviderHost(({ client }) => {
      chosenFor.push(client?.name);
      return box;
    });
    const listener = await serveHttp(host, { port: 0 });
    // An endpoint lists again soon after connecting; here only a notification may cause a listing.
    const config = { kind: "streamable-http", id: "host", url: listener.url } as const;
    const endpoint = createServerEndpoint(config, undefined, { relistMs: 600_000 });
    try {
      await endpoint.open();
      const before = await endpoint.listTools();
      chosenFor.length = 0;
      await endpoint.invoke("echo", {});
      expect(chosenFor).toEqual(["indus-protocol-bridge"]);
      box.add("late");
      await expect
        .poll(async () => (await endpoint.listTools()).length, { timeout: 5000 })
        .toBe(before.length + 1);
    } finally {
      await endpoint.close();
      await listener.close();
    }
  },
);
