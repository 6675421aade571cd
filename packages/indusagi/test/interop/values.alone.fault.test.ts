import { atSize, isFullSize, machinePace, recordFigure, spentMs, verifies } from "@indus/testkit";
import { type MountedProtocolBridge, mountProtocolBridge, type ServerConfig } from "indusagi/interop";
import { expect, vi } from "vitest";
import { act, evil, evilInProcess, faultOf, opened, timed } from "./kit/evil.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

/** Mounts in-process servers that list the given tools. */
async function mounted(servers: {
  readonly [id: string]: readonly unknown[];
}): Promise<MountedProtocolBridge & AsyncDisposable> {
  const configs = Object.keys(servers).map((id): ServerConfig => ({ kind: "stdio", id, command: "unused" }));
  const bridge = await mountProtocolBridge(
    { servers: configs },
    { transport: ({ id }) => evilInProcess({ definitions: servers[id] ?? [] }), probeMs: 15_000 },
  );
  return Object.assign(bridge, { [Symbol.asyncDispose]: () => bridge.fleet.tearDown() });
}

const ACT = { name: "act", inputSchema: { type: "object" } };

const BLOCKS: { readonly [name: string]: unknown } = {
  "lone surrogates": { content: [{ type: "text", text: "\ud800 and \udfff" }] },
  "NUL and controls": { content: [{ type: "text", text: "\0\x01\x1b[31m\u202e\u2028" }] },
  "many blocks": {
    content: Array.from({ length: atSize({ quick: 5000, full: 100_000 }) }, (_, i) => ({
      type: "text",
      text: `${i}`,
    })),
  },
  "unknown types": {
    content: [{ type: "hologram", data: [1] }, { type: 7 }, { text: "untyped" }, null, 5, "text", []],
  },
  "no content": { structuredContent: { a: 1 } },
  "content that is not a list": { content: { type: "text", text: "x" }, structuredContent: { a: 1 } },
  "content that is null": { content: null },
  "text that is not a string": { content: [{ type: "text", text: 5 }, { type: "text" }] },
  "names of the prototype": JSON.parse(
    '{"content":[{"type":"__proto__","__proto__":{"polluted":true},"constructor":1}]}',
  ),
  "a deep value": { content: [], structuredContent: nested(5000) },
};

verifies(
  "faults:b24-values",
  "each odd result is converted without loss, and goes out as valid JSON",
  async () => {
    await using bridge = await mounted({ s: [ACT] });
    for (const [name, result] of Object.entries(BLOCKS)) {
      const outcome = await bridge.box.runner.run({
        id: name,
        name: "s__act",
        input: { do: "result", result },
      });
      expect(outcome.fault, name).toBeUndefined();
      expect(outcome.wire?.value(), name).toEqual({ resultType: "complete", ...(result as object) });
      const { content } = result as { readonly content?: unknown };
      expect(outcome.result.content, name).toHaveLength(Array.isArray(content) ? content.length : 0);
      if (name === "a deep value") continue; // Node itself cannot write it; it is kept as it is.
      const written = JSON.stringify(outcome.output);
      expect(JSON.parse(written), name).toEqual(outcome.output);
      expect(Buffer.from(written, "utf8").toString("utf8"), name).toBe(written);
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  },
);

verifies(
  "faults:b24-values",
  "bytes that are not UTF-8 become replacement characters, and the connection remains",
  async () => {
    await using endpoint = await opened(evil("s", { era: "legacy" }));
    const latin1 =
      '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"a\xff\xc3\xe9 b"}]}}\n';
    const text = await act(endpoint, "bytes", { latin1 });
    expect(text).toMatch(/^a\ufffd+ b$/);
    expect(await act(endpoint, "echo", { text: "on" })).toBe("on");
  },
);

verifies("faults:b24-values", "an answer that is not a result is a protocol fault", async () => {
  await using endpoint = await opened(evil("s", { era: "legacy" }));
  for (const result of ["null", "7", '"text"', "true"]) {
    const latin1 = `{"jsonrpc":"2.0","id":$ID,"result":${result}}\n`;
    expect(await faultOf(act(endpoint, "bytes", { latin1 })), result).toMatchObject({ kind: "protocol" });
  }
});

verifies("faults:b24-values", "a large image arrives whole", async () => {
  const bytes = atSize({ quick: 2, full: 50 }) * 1024 * 1024;
  await using endpoint = await opened(evil("s"));
  const pace = await machinePace();
  const { ms, value } = await timed(() => endpoint.invoke("act", { do: "huge", bytes }));
  expect((value.content[0] as { readonly text: string }).text).toHaveLength(bytes);
  await pace.check([ms], { hangMs: 60_000, medianMs: 10_000 });
  recordFigure({
    what: "B24 one large block",
    size: `${bytes / 1024 / 1024} MiB`,
    found: `read in ${ms.toFixed(0)} ms`,
  });
});

verifies("faults:b24-values", "arguments that are not JSON fail only their own call", async () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  await using endpoint = await opened(evil("s"));
  for (const args of [cycle, { big: 1n }]) {
    const fault = await faultOf(endpoint.invoke("act", args));
    expect(fault).toMatchObject({ kind: "tool_error", retrySafe: true });
    expect(fault.message).toContain("cannot be written as JSON");
  }
  expect(await act(endpoint, "echo", { text: "on" })).toBe("on");
  await using bridge = await mounted({ s: [ACT] });
  const outcome = await bridge.box.runner.run({
    id: "1",
    name: "s__act",
    input: { do: "result", result: cycle },
  });
  expect(outcome.id).toBe("1");
});

verifies(
  "faults:b25-schemas",
  "hostile schemas affect at most their own tool, and cause no network access",
  async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const schemas: { readonly [name: string]: unknown } = {
      good: { type: "object", properties: { text: { type: "string" } } },
      cycle: {
        type: "object",
        properties: { a: { $ref: "#/$defs/a" } },
        $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
      },
      remote: { type: "object", properties: { a: { $ref: "http://127.0.0.1:1/schema.json" } } },
      deep: nested(10_000),
      wide: {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, {}])),
      },
      nullable: { type: "object", properties: { a: { type: ["string", "null"] } } },
      boolean: { type: "object", properties: { a: true, b: false } },
      prototype: JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}',
      ),
      pattern: { type: "object", properties: { a: { type: "string", pattern: "(a+)+$" } } },
      enum: {
        type: "object",
        properties: { a: { enum: Array.from({ length: 100_000 }, (_, i) => `value${i}`) } },
      },
      required: { type: "object", properties: { a: {} }, required: "a" },
    };
    await using endpoint = await opened(
      evil("s"),
      {},
      evilInProcess({
        definitions: Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema })),
      }),
    );
    const ms = await spentMs(() => endpoint.listing());
    const listing = await endpoint.listing();
    expect(listing.skipped.map(({ name }) => name).sort()).toEqual(["deep", "enum", "wide"]);
    for (const { why } of listing.skipped)
      expect(why).toMatch(/its schema is too large: (more than|nested deeper)/);
    expect(listing.tools).toHaveLength(Object.keys(schemas).length - 3);
    for (const { descriptor, ref, definition } of listing.tools) {
      expect(descriptor.parameters["type"], ref.name).toBe("object");
      expect(definition["inputSchema"], ref.name).toBe(schemas[ref.name]);
    }
    const prototype = listing.tools.find((tool) => tool.ref.name === "prototype")?.descriptor.parameters;
    expect(Object.keys(prototype?.["properties"] as object)).toEqual(["__proto__", "constructor"]);
    expect(({} as { type?: string }).type).toBeUndefined();
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
    if (isFullSize) expect(ms).toBeLessThan(50 * Object.keys(schemas).length);
    recordFigure({
      what: "B25 hostile schemas in one listing",
      size: `${Object.keys(schemas).length} tools`,
      found: `${ms.toFixed(0)} ms for all, 3 left out with their reason`,
    });
  },
  { timeoutMs: 60_000 },
);

verifies(
  "faults:b26-names",
  "each name is legal, unique and stable, and calls the exact original",
  async () => {
    const names = [
      "b__c",
      "x".repeat(200),
      `${"x".repeat(199)}y`,
      " ",
      "a b",
      "a\nb",
      "\x1b[31mred",
      "\u202eltr",
      "é",
      "e\u0301",
      "\u0430",
      "a",
      "A",
      "toString",
      "__proto__",
      "constructor",
      "a.b/c",
      "a_0123abcd",
      "💥",
      "\ud800",
    ];
    const definitions = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    const servers = {
      a: definitions,
      a__b: [{ name: "c", inputSchema: { type: "object" } }],
      "A b": definitions,
    };
    await using bridge = await mounted(servers);
    const descriptors = bridge.box.descriptors();
    expect(descriptors).toHaveLength(names.length * 2 + 1);
    expect(new Set(descriptors.map(({ name }) => name)).size).toBe(descriptors.length);
    for (const { name, origin } of descriptors) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      const outcome = await bridge.box.runner.run({ id: "1", name, input: {} });
      expect(outcome.output, JSON.stringify(origin)).toBe(origin?.tool);
    }
    const byOrigin = (box: MountedProtocolBridge["box"]): Map<string, string> =>
      new Map(box.descriptors().map(({ name, origin }) => [JSON.stringify(origin), name]));
    await using again = await mounted(
      Object.fromEntries(
        Object.entries(servers)
          .toReversed()
          .map(([id, tools]) => [id, tools.toReversed()]),
      ),
    );
    const before = byOrigin(bridge.box);
    for (const [origin, name] of byOrigin(again.box)) expect(before.get(origin)).toBe(name);
  },
);

function nested(levels: number): unknown {
  let schema: unknown = { type: "string" };
  for (let i = 0; i < levels; i++) schema = { type: "object", properties: { a: schema } };
  return schema;
}
