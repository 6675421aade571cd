import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mountProtocolBridge, type StdioServerConfig, wireName } from "indusagi/interop";
import { type JsonSchema, projectSchema } from "indusagi/llm";
import type { BenchCase } from "./case.ts";
import { figureOf, ratioOf } from "./measure.ts";

const script = fileURLToPath(new URL("../test/servers/server.mjs", import.meta.url));
const scripted = (id: string): StdioServerConfig => ({
  kind: "stdio",
  id,
  command: process.execPath,
  args: [script, "--era", "legacy"],
});

/** A mounted box and a bare SDK client, each with its own process of the same server. */
async function withBoth<Value>(measure: (ours: Call, theirs: Call) => Promise<Value>): Promise<Value> {
  const { box, fleet } = await mountProtocolBridge({ servers: [scripted("s")] });
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [script, "--era", "legacy"] }),
  );
  try {
    return await measure(
      async (text) => box.runner.run({ id: "1", name: "s__echo", input: { text } }),
      async (text) => client.callTool({ name: "echo", arguments: { text } }),
    );
  } finally {
    await client.close();
    await fleet.tearDown();
  }
}

type Call = (text: string) => Promise<unknown>;
const TEXT = "x".repeat(64);

async function inTurn(call: Call): Promise<void> {
  for (let i = 0; i < 400; i++) await call(TEXT);
}

async function atOnce(call: Call): Promise<void> {
  for (let i = 0; i < 30; i++) await Promise.all(Array.from({ length: 64 }, () => call(TEXT)));
}

const sequential: BenchCase = {
  id: "stdio-call",
  summary: "calls one after another through a mounted box / through the bare SDK client",
  measure: () =>
    withBoth((ours, theirs) =>
      ratioOf({ name: "box", run: () => inTurn(ours) }, { name: "SDK", run: () => inTurn(theirs) }),
    ),
};

const parallel: BenchCase = {
  id: "stdio-call-64",
  summary: "calls with 64 in flight through a mounted box / through the bare SDK client",
  measure: () =>
    withBoth((ours, theirs) =>
      ratioOf({ name: "box", run: () => atOnce(ours) }, { name: "SDK", run: () => atOnce(theirs) }),
    ),
};

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    owner: { type: "string", description: "Repository owner" },
    state: { anyOf: [{ type: "string", enum: ["open", "closed"] }, { type: "null" }] },
    labels: { type: "array", items: { type: "string" }, maxItems: 20 },
    page: { type: "integer", minimum: 1 },
  },
  required: ["owner"],
  additionalProperties: false,
};

const projecting: BenchCase = {
  id: "project-schema",
  summary: "projectSchema(schema, portable) / JSON.parse and JSON.stringify of the same",
  measure: () =>
    ratioOf(
      { name: "project", run: () => repeat(() => projectSchema(SCHEMA, "portable")) },
      { name: "parse + stringify", run: () => repeat(() => JSON.parse(JSON.stringify(SCHEMA))) },
    ),
};

function repeat(step: () => unknown): void {
  for (let i = 0; i < 10_000; i++) step();
}

const naming: BenchCase = {
  id: "wire-names-10000",
  summary: "wire names of 10,000 tools, a tenth of them hashed, in milliseconds",
  measure: async () => {
    const refs = Array.from({ length: 10_000 }, (_, index) => ({
      server: `server-${index % 50}`,
      name: index % 10 === 0 ? `tool ${index} ${"x".repeat(60)}` : `tool-${index}`,
    }));
    const times = Array.from({ length: 7 }, () => {
      const start = performance.now();
      for (const ref of refs) wireName(ref);
      return performance.now() - start;
    });
    return figureOf(times);
  },
};

export const interopCases: readonly BenchCase[] = [sequential, parallel, projecting, naming];
