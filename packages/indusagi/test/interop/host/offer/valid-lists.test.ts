import { type Definition, type DefinitionKind, HEALTHY, mutantsOf, verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  createProviderHost,
  type HostProviders,
  type ProviderHostOptions,
  serveHttp,
} from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { MCPServer } from "indusagi/mcp";
import { answeredOutcome, type ToolBox } from "indusagi/runtime";
import { expect, vi } from "vitest";
import { NAMED_SCHEMAS, nastySchemas } from "../../../../../../test/kit/nasty-schemas.ts";
import { OFFICIAL_CLIENTS } from "../../../../../../test/kit/official-clients.ts";
import { publishable } from "../../../../src/interop/content/index.ts";

const KINDS: readonly DefinitionKind[] = ["tools", "prompts", "resources", "templates"];

/** Every mutant of a kind beside a healthy definition. */
function definitionsOf(kind: DefinitionKind): readonly Definition[] {
  return [...mutantsOf(kind).map(({ definition }) => definition), HEALTHY[kind]];
}

/** Tools with definitions of a server, and two of our own. */
function mixedBox(definitions: readonly Definition[]): ToolBox {
  const mounted = definitions.map(
    (definition, at): ToolDescriptor => ({
      name: definition === HEALTHY.tools ? "healthy" : `tool_${at}`,
      description: "A text.",
      parameters: { type: "object" },
      definition,
    }),
  );
  const descriptors = [
    ...mounted,
    { name: "own", description: "Ours.", parameters: { properties: { a: { type: "string" } } } },
    { name: "own_bad", description: "Ours.", parameters: { type: "string" } },
  ];
  return {
    descriptors: () => descriptors,
    onChange: () => () => {},
    runner: { run: async ({ id }) => answeredOutcome(id, { content: [], structured: [1] }) },
  };
}

const PROVIDERS: HostProviders = {
  prompts: {
    list: () => ({ prompts: definitionsOf("prompts"), nextCursor: null, _meta: null }),
    get: () => ({ messages: "none" }),
  },
  resources: {
    list: () => ({ resources: definitionsOf("resources"), nextCursor: 7 }),
    templates: () => ({ resourceTemplates: definitionsOf("templates"), _meta: [] }),
    read: () => ({ contents: [{ uri: 7 }] }),
  },
};

interface Hosted extends AsyncDisposable {
  readonly url: string;
  readonly reports: string[];
}

async function hosted(
  options: ProviderHostOptions = {},
  tools: readonly Definition[] = definitionsOf("tools"),
): Promise<Hosted> {
  const reports: string[] = [];
  const box = mixedBox(tools);
  const host = createProviderHost(box, undefined, PROVIDERS, {
    ...options,
    report: (line) => void reports.push(line),
  });
  const listener = await serveHttp(host, { port: 0 });
  return { url: listener.url, reports, [Symbol.asyncDispose]: () => listener.close() };
}

/** What the official clients keep of a definition: members that they do not know are dropped by their schemas. */
function known(definition: Definition, of: Definition): Definition {
  return Object.fromEntries(Object.entries(definition).filter(([member]) => member in of));
}

/** What a list has of these. A tool has the name that its box gives it. */
function publishedOf(kind: DefinitionKind): readonly Definition[] {
  return definitionsOf(kind).filter(
    (each) => publishable(kind, kind === "tools" ? { ...each, name: "any" } : each) !== undefined,
  );
}

for (const [name, connect] of Object.entries(OFFICIAL_CLIENTS))
  verifies("host:valid-lists", `${name} accepts every list of a library host`, async () => {
    await using host = await hosted();
    await using client = await connect(host.url);
    for (const kind of KINDS) {
      const listed = await client.list(kind);
      const own = listed.find((each) => each["name"] === "own");
      expect(listed.length, kind).toBe(publishedOf(kind).length + (own ? 1 : 0));
      const healthy = listed.find((each) => each["name"] === "healthy") as Definition;
      expect(healthy).toEqual(known(HEALTHY[kind], healthy));
      expect(Object.keys(healthy)).toEqual(expect.arrayContaining(["name", "title", "_meta", "icons"]));
      if (kind !== "tools") continue;
      expect(own?.["inputSchema"]).toEqual({ type: "object", properties: { a: { type: "string" } } });
    }
  });

verifies(
  "publish:names",
  "official clients accept a list of tools whose output schemas name and refer to anything",
  async () => {
    const inputSchema = { type: "object" };
    const generated = fc.sample(nastySchemas(), { numRuns: 200, seed: 1 });
    const tools = [
      HEALTHY.tools,
      ...[...Object.values(NAMED_SCHEMAS), ...generated].map((outputSchema) => ({
        inputSchema,
        outputSchema,
      })),
    ];
    await using host = await hosted({}, tools);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    for (const [name, connect] of Object.entries(OFFICIAL_CLIENTS)) {
      await using client = await connect(host.url);
      // The client compiles them again, with the same validator.
      for (const round of [1, 2]) {
        const listed = await client.list("tools");
        expect(listed.length, `${name} ${round}`).toBe(tools.length + 1);
        const kept = listed.filter((tool) => tool["outputSchema"] !== undefined);
        expect(kept.length, name).toBeGreaterThan(50);
        expect(await client.call("own"), name).toBeDefined();
      }
    }
    warn.mockRestore();
  },
);

verifies(
  "host:left-out",
  "a host reports once what it leaves out, and nothing that servers list",
  async () => {
    await using host = await hosted();
    const connect = OFFICIAL_CLIENTS["client 2, legacy"];
    await using client = await connect!(host.url);
    for (const kind of [...KINDS, ...KINDS]) await client.list(kind);
    expect(host.reports.sort()).toEqual([
      '1 tool is left out: "own_bad" (its inputSchema.type is malformed)',
      expect.stringMatching(/^12 resource templates are left out: "m0" .* and 9 more$/),
      expect.stringMatching(/^12 resources are left out: "m0" .* and 9 more$/),
      expect.stringMatching(/^6 prompts are left out: one without a name .* and 3 more$/),
    ]);
  },
);

verifies("host:valid-lists", "a malformed result fails only its own request", async () => {
  await using host = await hosted();
  for (const connect of Object.values(OFFICIAL_CLIENTS)) {
    await using client = await connect(host.url);
    await expect(client.getPrompt("healthy")).rejects.toThrow();
    await expect(client.read("x://healthy")).rejects.toThrow();
    expect((await client.list("prompts")).length).toBeGreaterThan(1);
  }
});

verifies("host:valid-lists", "a host can be told to send lists as received", async () => {
  await using host = await hosted({ listsAsReceived: true });
  for (const connect of Object.values(OFFICIAL_CLIENTS)) {
    await using client = await connect(host.url);
    await expect(client.list("tools")).rejects.toThrow();
  }
});

verifies("host:valid-lists", "`MCPServer` refuses a tool that no list could have", () => {
  const tool = (parameters: object): object => ({
    name: "t",
    description: "",
    parameters,
    execute: () => "",
  });
  const server = (parameters: object): MCPServer =>
    new MCPServer({ name: "mine", tools: [tool(parameters)] } as never);
  expect(() => server({ properties: { a: {} } })).not.toThrow();
  expect(() => server({ type: "string" })).toThrow(
    'tool "t" has "parameters" that clients refuse: its inputSchema.type is malformed',
  );
});
