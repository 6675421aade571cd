import { type Definition, type DefinitionKind, HEALTHY, mutantsOf, tempDir, verifies } from "@indus/testkit";
import { leftOutNote } from "indusagi/interop";
import { expect } from "vitest";
import { OFFICIAL_CLIENTS, type OfficialClient } from "../../../../../test/kit/official-clients.ts";
import { writeConfig } from "../../bin/run-indus.ts";
import { runLine } from "../../commands/run-line.ts";
import { connect, library, serveIn } from "./served-library.ts";

const KINDS: readonly DefinitionKind[] = ["tools", "prompts", "resources", "templates"];

/** Every mutant of a kind beside a healthy definition. */
const mixed = (kind: DefinitionKind): readonly Definition[] => [
  HEALTHY[kind],
  ...mutantsOf(kind).map(({ definition }) => definition),
];
const SENT = {
  tools: mixed("tools"),
  prompts: mixed("prompts"),
  resources: mixed("resources"),
  templates: mixed("templates"),
};

const { tools: definitions, ...items } = SENT;
const isOffered = (kind: DefinitionKind, each: Definition): boolean =>
  leftOutNote(kind, [each]) === undefined;

/** The names that a client gets of what the server "bad" sent. */
function namesOf(kind: DefinitionKind): readonly string[] {
  const isPrefixed = kind === "tools" || kind === "prompts";
  return SENT[kind]
    .filter((each) => isOffered(kind, each))
    .map(({ name }) => (isPrefixed ? `bad__${name as string}` : (name as string)))
    .sort();
}

async function expectList(client: OfficialClient, kind: DefinitionKind, about: string): Promise<void> {
  const all = await client.list(kind);
  if (kind === "tools") expect(all.map(({ name }) => name)).toContain("good__a");
  const listed = all.filter(
    ({ name }) => (name as string).startsWith("bad__") || kind === "resources" || kind === "templates",
  );
  expect(listed.map(({ name }) => name).sort(), about).toEqual(namesOf(kind));
  const healthy = listed.find(({ name }) => /^(bad__)?healthy$/.test(name as string)) as Definition;
  // Schemas of clients drop what they do not know.
  const kept = Object.entries({ ...HEALTHY[kind], name: healthy["name"] }).filter(([key]) => key in healthy);
  expect(healthy, about).toEqual(Object.fromEntries(kept));
}

verifies(
  "host:valid-lists",
  "official clients accept every list of a gateway, and of its profiles",
  async () => {
    await using dir = await tempDir();
    const answers = { "prompts/get": { messages: 7, kept: [null] }, "resources/read": { contents: "none" } };
    const results = { healthy: { content: "no list", structuredContent: [7] } };
    const bad = await library(dir, "bad", { definitions, ...items, answers, results });
    await using served = await serveIn(dir, [await library(dir, "good", { tools: ["a"] }), bad]);
    for (const [name, open] of Object.entries(OFFICIAL_CLIENTS)) {
      await using client = await open(served.url);
      for (const kind of KINDS) await expectList(client, kind, `${name} ${kind}`);
      // Only its own call fails.
      await expect(client.getPrompt("bad__healthy"), name).rejects.toThrow();
      await expect(client.read("x://healthy"), name).rejects.toThrow();
      await expect(client.call("bad__healthy"), name).rejects.toThrow();
      await using inProfile = await open(`${served.url}/p/none`);
      await expectList(inProfile, "tools", `${name} /p/none`);
    }
    await using raw = await connect(served.url, "legacy");
    expect(await raw.get("prompts/get", { name: "bad__healthy" })).toEqual(answers["prompts/get"]);
    expect(await raw.get("resources/read", { uri: "x://healthy" })).toEqual(answers["resources/read"]);
    // Byte for byte: what no client looks at is there too, in its order.
    const { tools } = (await raw.get("tools/list")) as { readonly tools: readonly Definition[] };
    const healthy = tools.find((tool) => tool["name"] === "bad__healthy");
    expect(JSON.stringify({ ...healthy, name: "healthy" })).toBe(JSON.stringify(HEALTHY.tools));
  },
);

verifies(
  "publish:names",
  "two servers with the same `$id` in their output schemas are listed, called and validated apart",
  async () => {
    await using dir = await tempDir();
    const $id = "http://x/a";
    const inputSchema = { type: "object" };
    const tool = (name: string, keywords: object): object => ({
      name,
      inputSchema,
      outputSchema: { type: "object", required: ["value"], ...keywords },
    });
    const answer = (value: unknown): object => ({ content: [], structuredContent: { value } });
    const text = await library(dir, "text", {
      definitions: [tool("a", { $id, properties: { value: { type: "string" } } })],
      results: { a: answer("x") },
    });
    const number = await library(dir, "number", {
      definitions: [
        tool("root", { $id, properties: { value: { $ref: "#/$defs/n" } }, $defs: { n: { type: "number" } } }),
        tool("inside", { properties: { value: { $id, type: "number" } } }),
        tool("wrong", { $id, properties: { value: { type: "number" } } }),
      ],
      results: { root: answer(1), inside: answer(2), wrong: answer("x") },
    });
    await using served = await serveIn(dir, [text, number]);
    for (const [name, open] of Object.entries(OFFICIAL_CLIENTS)) {
      await using client = await open(served.url);
      const listed = await client.list("tools");
      const kept = listed.filter((each) => each["outputSchema"] !== undefined);
      expect(kept.map((each) => each["name"]).sort(), name).toEqual([
        "number__inside",
        "number__root",
        "number__wrong",
        "text__a",
      ]);
      expect(await client.call("text__a"), name).toMatchObject(answer("x"));
      expect(await client.call("number__root"), name).toMatchObject(answer(1));
      expect(await client.call("number__inside"), name).toMatchObject(answer(2));
      // The schema that is left still says what it did.
      await expect(client.call("number__wrong"), name).rejects.toThrow(/output schema/i);
    }
  },
);

verifies("host:valid-lists", "the route of one server has what it sent, as it sent it", async () => {
  await using dir = await tempDir();
  const wrong = (name: string): object => ({ name, inputSchema: { type: "string" }, annotations: null });
  const prompts = [{ name: "p", title: null }, { title: "without a name" }];
  const resources = [{ uri: "x://1" }, { name: 7, uri: "x://2" }];
  const results = { a: { content: [{ type: "text", text: "called" }] } };
  const definitions = [wrong("a"), wrong("b")];
  const bad = await library(dir, "bad", { definitions, prompts, resources, results });
  await using served = await serveIn(dir, [bad]);
  for (const era of ["modern", "legacy"] as const) {
    await using client = await connect(`${served.url}/bad`, era);
    expect((await client.get("tools/list"))["tools"]).toEqual([wrong("a"), wrong("b")]);
    expect((await client.get("prompts/list"))["prompts"]).toEqual(prompts);
    expect((await client.get("resources/list"))["resources"]).toEqual(resources);
    await using all = await connect(served.url, era);
    expect(await all.get("prompts/list")).toMatchObject({ prompts: [{ name: "bad__p" }] });
    expect(await all.uris()).toEqual([]);
    expect(JSON.stringify(await all.get("tools/list"))).not.toContain("bad__a");
    // What is left out of the list is still called by its name.
    expect(await all.get("tools/call", { name: "bad__a", arguments: {} })).toMatchObject(results.a);
  }
});

const LEFT_OUT = {
  definitions: [
    { name: "fine", inputSchema: { properties: {} } },
    ...["a", "b", "c", "d"].map((name) => ({ name, inputSchema: { type: "object", required: "x" } })),
    { name: "none", inputSchema: null },
  ],
  prompts: [{ name: "fine", title: null }, { title: "without a name" }],
  resources: [{ uri: "x://1", name: null }],
  templates: [{ uriTemplate: 7, name: "t" }],
};
const REQUIRED = "its inputSchema.required is malformed";
const LINES = [
  '1 tool is left out: "none" (its inputSchema is not a schema)',
  `4 tools are left out: "a" (${REQUIRED}), "b" (${REQUIRED}), "c" (${REQUIRED}) and 1 more`,
  "1 prompt is left out: one without a name (its name is malformed)",
  '1 resource is left out: "x://1" (its name is malformed)',
  '1 resource template is left out: "t" (its uriTemplate is malformed)',
];

verifies("host:left-out", "`indus__status` names what is left out, until the server is right", async () => {
  await using dir = await tempDir();
  const bad = await library(dir, "bad", LEFT_OUT);
  await using served = await serveIn(dir, [bad]);
  await using client = await connect(served.url, "modern");
  const statuses = async (): Promise<unknown> =>
    (await client.get("tools/call", { name: "indus__status", arguments: {} }))["structuredContent"];
  const command = `indus mcp doctor bad --cwd ${dir.path}`;
  const expected = LINES.map((reason) => ({ server: "bad", state: "malformed", reason, command }));
  await expect.poll(statuses).toEqual({ servers: expected });
  // The lists are read again after a restart of the server.
  await library(dir, "bad", { tools: ["fine"] });
  await served.fleet.restart("bad");
  await expect
    .poll(async () => JSON.stringify((await client.get("tools/list"))["tools"]))
    .not.toContain("indus__status");
});

verifies(
  "host:left-out",
  "tools, prompts and resources of an earlier run are as valid, and named as well",
  async () => {
    await using dir = await tempDir();
    const bad = await library(dir, "bad", LEFT_OUT);
    {
      await using served = await serveIn(dir, [bad]);
      await using client = await connect(served.url, "modern");
      await expect.poll(() => client.get("prompts/list")).toMatchObject({ prompts: [{ name: "bad__fine" }] });
      await expect.poll(() => served.leftOut("bad")).toHaveLength(3);
    }
    await library(dir, "bad", { ...LEFT_OUT, hangs: ["initialize"] });
    await using served = await serveIn(dir, [bad]);
    await using client = await OFFICIAL_CLIENTS["SDK 1"]!(served.url);
    const tools = await client.list("tools");
    expect(tools.filter(({ name }) => (name as string).startsWith("bad__"))).toEqual([
      { name: "bad__fine", inputSchema: { type: "object", properties: {} } },
    ]);
    expect(await client.list("prompts")).toEqual([{ name: "bad__fine" }]);
    expect([await client.list("resources"), await client.list("templates")]).toEqual([[], []]);
    expect(JSON.stringify(await client.call("indus__status"))).toContain("4 tools are left out");
  },
);

verifies("host:left-out", "`mcp list` and `mcp doctor` name it, and say ready", async () => {
  await using dir = await tempDir();
  const row = await library(dir, "bad", LEFT_OUT);
  const file = await writeConfig(dir.at("servers.json"), { bad: row });
  const list = await runLine(dir, ["mcp", "list", "--mcp", file, "--json"]);
  const { servers } = JSON.parse(list.out) as { readonly servers: readonly object[] };
  expect(servers).toMatchObject([{ server: "bad", phase: "ready", leftOut: LINES }]);
  const table = await runLine(dir, ["mcp", "list", "--mcp", file]);
  expect(table.out.replaceAll(/\s+/g, " ")).toContain('1 tool is left out: "none"');
  const doctor = await runLine(dir, ["mcp", "doctor", "--mcp", file, "--json"]);
  const checkup = JSON.parse(doctor.out) as {
    readonly servers: readonly { readonly findings: readonly object[] }[];
  };
  expect(checkup.servers[0]?.findings).toEqual(
    LINES.map((what) => ({ health: "warning", what, remedy: expect.stringContaining("update the server") })),
  );
});
