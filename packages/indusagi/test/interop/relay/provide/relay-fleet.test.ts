import { verifies } from "@indus/testkit";
import { createClashRecord, type ListedItem, type RelayFleetOptions } from "indusagi/interop";
import { expect } from "vitest";
import { type LibraryClient, libraryFleet } from "./library-fleet.ts";

const resource = (uri: string): ListedItem => ({ uri, name: uri });
const template = (uriTemplate: string): ListedItem => ({ uriTemplate, name: uriTemplate });
const named = (server: string, uri: string): string => `indus://resource/${server}/${uri}`;

const uris = async (client: LibraryClient): Promise<unknown[]> =>
  (await client.list("resources")).map(({ uri }) => uri);
const textOf = async (client: LibraryClient, uri: string): Promise<unknown> =>
  ((await client.read(uri)) as { readonly contents: readonly { readonly text: string }[] }).contents[0]?.text;

verifies(
  "relay:uris",
  "a URI is plain while one server has it, and namespaced from the first clash on",
  async () => {
    const clashes = createClashRecord();
    const libraries = {
      one: {
        resources: [resource("x://1"), resource("x://2"), resource("indus://resource/two-legacy/x://1")],
      },
      "two-legacy": { resources: [resource("x://3")] },
    };
    await using library = await libraryFleet(libraries, { clashes });
    const client = library.client("c");
    const own = named("one", "indus://resource/two-legacy/x://1");
    // A server cannot take a name of another one.
    expect(await uris(client)).toEqual(["x://1", "x://2", own, "x://3"]);
    expect(await textOf(client, "x://1")).toBe("one");
    expect(await textOf(client, named("one", "x://1"))).toBe("one");
    expect((await client.read(named("one", "x://1")))?.["contents"]).toMatchObject([
      { uri: named("one", "x://1") },
    ]);

    libraries["two-legacy"].resources.push(resource("x://1"));
    const both = [named("one", "x://1"), "x://2", own, "x://3", named("two-legacy", "x://1")];
    expect(await uris(client)).toEqual(both);
    await expect(client.read("x://1")).rejects.toMatchObject({
      code: -32602,
      message: `x://1 is ambiguous: the servers "one" and "two-legacy" have it; read ${named("one", "x://1")} or ${named("two-legacy", "x://1")} instead`,
    });
    for (const server of ["one", "two-legacy"])
      expect((await client.read(named(server, "x://1")))?.["contents"]).toEqual([
        { uri: named(server, "x://1"), text: server },
      ]);

    // Also when one server has it no longer, and in the next run.
    libraries["two-legacy"].resources.pop();
    expect((await uris(client)).slice(0, 1)).toEqual([named("one", "x://1")]);
    await expect(client.read("x://1")).rejects.toThrow('"one" and "two-legacy"');
    await using later = await libraryFleet({ one: libraries.one }, { clashes });
    expect((await uris(later.client("c"))).slice(0, 2)).toEqual([named("one", "x://1"), "x://2"]);
    await expect(later.client("c").read("x://1")).rejects.toThrow('"one" and "two-legacy"');
  },
);

verifies(
  "relay:unlisted",
  "a link of this client, then the one template that matches, then an error; no server is tried in turn",
  async () => {
    await using library = await libraryFleet({
      one: { links: ["x://linked"], templates: [template("y://{id}"), template("z://{id}")] },
      two: { templates: [template("z://{+path}")], links: ["x://only"] },
    });
    const client = library.client("c");
    await expect(client.read("x://linked")).rejects.toMatchObject({
      code: -32002,
      message: "Resource not found: x://linked",
    });
    // Whatever a client writes in the place of a server is not taken for one.
    const invented = named("nobody", "x://1");
    const unknown = { code: -32002, message: `Resource not found: ${invented}; there is no server "nobody"` };
    await expect(client.read(invented)).rejects.toMatchObject(unknown);
    await expect(client.complete({ type: "ref/resource", uri: invented })).rejects.toMatchObject(unknown);
    const { wire } = await client.call("one__link");
    expect(wire?.value()).toMatchObject({ content: [{ type: "resource_link", uri: "x://linked" }] });
    expect(await textOf(client, "x://linked")).toBe("one");
    await expect(library.client("another").read("x://linked")).rejects.toMatchObject({ code: -32002 });
    await client.call("two__embed");
    expect(await textOf(client, "x://only")).toBe("two");

    expect(await textOf(client, "y://7")).toBe("one");
    expect(await textOf(client, "z://a/b")).toBe("two");
    await expect(client.read("z://a")).rejects.toThrow(
      `z://a is ambiguous: the servers "one" and "two" have it; read ${named("one", "z://a")} or`,
    );
    expect(await textOf(client, named("two", "z://a"))).toBe("two");
    await expect(client.read(named("absent", "x://1"))).rejects.toThrow('"absent"');
    const asked = library.seen.map(({ about }) => about);
    expect(asked).toEqual([
      "one read x://linked",
      "two read x://only",
      "one read y://7",
      "two read z://a/b",
      "two read z://a",
    ]);
  },
);

verifies(
  "relay:unlisted",
  "a link to what another server has is a clash; so is an equal template",
  async () => {
    await using library = await libraryFleet({
      one: { resources: [resource("x://1")], templates: [template("t://{a}")] },
      two: { links: ["x://1"], templates: [template("t://{a}")] },
    });
    const client = library.client("c");
    expect(await uris(client)).toEqual(["x://1"]);
    const { wire, result } = await client.call("two__link");
    expect(wire?.value()).toMatchObject({ content: [{ uri: named("two", "x://1") }] });
    expect(result.content).toMatchObject([{ mcp: true, value: { uri: named("two", "x://1") } }]);
    expect(await uris(client)).toEqual([named("one", "x://1")]);
    await expect(client.read("x://1")).rejects.toThrow('"one" and "two"');
    expect((await client.list("templates")).map(({ uriTemplate }) => uriTemplate)).toEqual([
      named("one", "t://{a}"),
      named("two", "t://{a}"),
    ]);
    expect(await textOf(client, named("two", "t://7"))).toBe("two");
    await expect(client.read("t://7")).rejects.toThrow('"one" and "two"');
  },
);

verifies("relay:rewritten", "texts of _meta are renamed for clients, and back for servers", async () => {
  const clashes = createClashRecord([["x://1", ["one", "gone"]]]);
  await using library = await libraryFleet(
    { one: { resources: [{ ...resource("x://1"), _meta: { also: "x://1", not: "x://2" } }] } },
    { clashes },
  );
  const client = library.client("c");
  const mine = named("one", "x://1");
  expect(await client.list("resources")).toEqual([
    { uri: mine, name: "x://1", _meta: { also: mine, not: "x://2" } },
  ]);
  const read = await client.read(mine, { "a/b": { of: mine, other: named("two", "x://1") } });
  expect(read).toMatchObject({ contents: [{ uri: mine }], _meta: { first: mine } });
  expect(library.seen).toEqual([
    { about: "one read x://1", meta: { "a/b": { of: "x://1", other: named("two", "x://1") } } },
  ]);
  // A result without such a URI is the object that the server's answer became.
  const plain = await client.call("one__none");
  expect(plain.result.content).toEqual([{ kind: "text", text: "x://1" }]);
});

verifies("relay:prompts", "prompts have wire names, and their results are the server's", async () => {
  const long = "a prompt with a name that is longer than any tool name may be";
  await using library = await libraryFleet(
    {
      one: { prompts: [{ name: "greet", title: "Greet" }, { name: long }], links: ["x://1"] },
      "two-legacy": { prompts: [{ name: "greet", icons: [{ src: "data:," }], _meta: { a: 1 } }] },
      broken: { prompts: [{ name: "ok" }, { name: 7 }, { name: "bad", arguments: [{}] }] },
    },
    { nameLimit: 48 },
  );
  const client = library.client("c");
  const prompts = await client.list("prompts");
  expect(prompts).toEqual([
    { name: "one__greet", title: "Greet" },
    { name: expect.stringMatching(/^one__a_prompt_with_a_name.*_[0-9a-f]{8}$/) },
    { name: "two-legacy__greet", icons: [{ src: "data:," }], _meta: { a: 1 } },
    { name: "broken__ok" },
    { name: "broken__bad", arguments: [] },
  ]);
  const hashed = String(prompts[1]?.["name"]);
  expect(hashed).toHaveLength(48);
  expect(await client.prompt(hashed)).toMatchObject({ messages: [{ content: { text: `one ${long}` } }, {}] });
  // A resource in a prompt can be read.
  expect(await textOf(client, "x://1")).toBe("one");
  expect(await client.prompt("two-legacy__greet")).toMatchObject({
    messages: [{ content: { text: "two-legacy greet" } }],
  });
  expect(await client.prompt("greet")).toBeUndefined();
});

verifies(
  "relay:completion",
  "references are translated back, and a server without it suggests nothing",
  async () => {
    await using library = await libraryFleet({
      one: {
        prompts: [{ name: "greet" }],
        templates: [template("t://{a}"), template("u://{a}")],
        completes: true,
      },
      "two-legacy": { prompts: [{ name: "greet" }], templates: [template("t://{a}")] },
    });
    const client = library.client("c");
    const completed = async (ref: Parameters<LibraryClient["complete"]>[0]): Promise<unknown> =>
      (await client.complete(ref))["completion"];
    expect(await completed({ type: "ref/prompt", name: "one__greet" })).toEqual({
      values: ['one {"type":"ref/prompt","name":"greet"}'],
    });
    expect(await completed({ type: "ref/prompt", name: "two-legacy__greet" })).toEqual({ values: [] });
    for (const [uri, own] of [
      ["u://{a}", "u://{a}"],
      [named("one", "t://{a}"), "t://{a}"],
      ["u://7", "u://7"],
    ] as const)
      expect(await completed({ type: "ref/resource", uri })).toEqual({
        values: [`one {"type":"ref/resource","uri":"${own}"}`],
      });
    await expect(completed({ type: "ref/resource", uri: "t://{a}" })).rejects.toThrow(
      '"one" and "two-legacy"',
    );
    await expect(completed({ type: "ref/prompt", name: "none" })).rejects.toThrow("Unknown prompt: none");
    await expect(completed({ type: "ref/other" })).rejects.toMatchObject({ code: -32602 });
  },
);

verifies(
  "relay:last-known",
  "a server that hangs costs a list its patience once; its last known items stay in use",
  async () => {
    let patienceMs = 200;
    const hanging = { resources: [resource("x://1")], hangs: true };
    const lastKnown: RelayFleetOptions["lastKnown"] = (server, kind) =>
      server === "known" && kind === "resources" ? { server, items: [resource("x://old")] } : undefined;
    await using library = await libraryFleet(
      { known: { ...hanging }, unknown: hanging, works: { resources: [resource("x://2")] } },
      { lastKnown, patienceMs: () => patienceMs },
    );
    const client = library.client("c");
    const changes: string[] = [];
    library.relay.providers().resources.onListChanged?.(() => changes.push("resources"));
    expect(await uris(client)).toEqual(["x://old", "x://2"]);
    // What is known is read at once, however long a list would wait.
    patienceMs = 600_000;
    expect(await textOf(client, "x://old")).toBe("known");
    expect(await textOf(client, "x://2")).toBe("works");
    patienceMs = 200;
    hanging.hangs = false;
    library.relay.reviewed("unknown", "resources");
    expect(await uris(client)).toEqual(["x://old", "x://2"]); // Its first answer is still awaited.
    await library.fleet.restart("unknown");
    await expect.poll(() => uris(client)).toEqual(["x://old", "x://1", "x://2"]);
    await expect.poll(() => changes).not.toEqual([]);
    await library.fleet.removeServer("known");
    expect(await uris(client)).toEqual(["x://1", "x://2"]);
  },
);

verifies(
  "relay:scope",
  "one server under its own names, or some of the servers under the shared ones",
  async () => {
    await using library = await libraryFleet({
      one: { resources: [resource("x://1")], prompts: [{ name: "greet" }], completes: true },
      two: { resources: [resource("x://1"), resource("x://2")] },
    });
    const request = { signal: new AbortController().signal, caller: { key: "c", can: {} } };
    const only = library.relay.providers({ only: "one" });
    expect(await only.resources.list({}, request)).toMatchObject({ resources: [resource("x://1")] });
    expect(await only.prompts.list({}, request)).toMatchObject({ prompts: [{ name: "greet" }] });
    expect(await only.resources.read("x://1", request)).toMatchObject({
      contents: [{ uri: "x://1", text: "one" }],
    });
    expect(await only.prompts.get("greet", {}, request)).toMatchObject({ messages: [{}] });
    expect(
      await only.complete(
        { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "a", value: "" } },
        request,
      ),
    ).toMatchObject({ completion: {} });
    const some = library.relay.providers({ keeps: (server) => server === "two" });
    expect(await some.resources.list({}, request)).toMatchObject({
      resources: [{ uri: named("two", "x://1") }, { uri: "x://2" }],
    });
    expect(await some.prompts.list({}, request)).toMatchObject({ prompts: [] });
    await expect(some.resources.read(named("one", "x://1"), request)).rejects.toMatchObject({ code: -32002 });
    await expect(some.resources.read("x://1", request)).rejects.toThrow(/^(?!.*"one")/);
    // A client may be limited further, also on the route of one server.
    const limited = library.relay.providers({ only: "one", keeps: (_, { principal }) => principal === "p" });
    expect(await limited.resources.list({}, request)).toEqual({ resources: [] });
    expect(await limited.prompts.get("greet", {}, request)).toBeUndefined();
    await expect(limited.resources.read("x://1", request)).rejects.toMatchObject({ code: -32002 });
    const allowed = { ...request, caller: { ...request.caller, principal: "p" } };
    expect(await limited.resources.read("x://1", allowed)).toMatchObject({ contents: [{ text: "one" }] });
  },
);

verifies(
  "relay:scope",
  "the lists of one server wait for no other, and no other gets what its clients send",
  async () => {
    const libraries = {
      one: { resources: [resource("x://1")], prompts: [{ name: "p" }] },
      two: { resources: [resource("x://2")], hangs: true },
    };
    await using library = await libraryFleet(libraries, { patienceMs: () => 60_000 });
    const request = {
      signal: new AbortController().signal,
      caller: { key: "c", can: {} },
      meta: { "example.org/secret": 1 },
    };
    const alone = library.relay.providers({ only: "one" });
    // Both would wait a minute for the server that hangs.
    expect(await alone.resources.list({}, request)).toMatchObject({ resources: [resource("x://1")] });
    expect(await alone.prompts.list({}, request)).toMatchObject({ prompts: [{ name: "p" }] });
    libraries.two.hangs = false;
    const some = library.relay.providers({ keeps: (server) => server === "one" });
    expect(await some.resources.list({}, request)).toMatchObject({ resources: [resource("x://1")] });
    const sent = { "example.org/secret": 1 };
    expect(library.seen).toEqual([
      { about: "one resources", meta: sent },
      { about: "one prompts", meta: sent },
      { about: "one resources", meta: sent },
    ]);
  },
);
