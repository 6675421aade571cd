import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  type BoxSource,
  EXTENSION_KEYS,
  extensionKey,
  type HostClient,
  RELAYED_EXTENSIONS,
} from "indusagi/interop";
import { answeredOutcome, createTableBox, type TableTool, type ToolBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { byExtensions, offeredBox, type TokenRecord, tokenAccess } from "../../src/gateway/index.ts";

const entry = (server: string, tool: string): TableTool => ({
  descriptor: {
    name: `${server}__${tool}`,
    description: tool,
    parameters: { type: "object" },
    origin: { server, tool },
  },
  run: async ({ id }) => answeredOutcome(id, textResult(tool)),
});
const chosen = (source: BoxSource, client: HostClient): ToolBox =>
  typeof source === "function" ? source(client) : source;
let sessions = 0;
const client = (name: string, principal?: string): HostClient => ({
  key: `session-${sessions++}`,
  era: "legacy",
  client: { name, version: "1" },
  ...(principal === undefined ? {} : { principal }),
});

verifies(
  "house:layer-tables",
  "the clients of one token, route and mode share one box, whatever their session is",
  () => {
    const { box } = createTableBox([entry("a", "x"), entry("b", "x")]);
    const records = new Map<string, TokenRecord>(
      [
        { id: "1", name: "one", servers: ["a"] },
        { id: "2", name: "two" },
      ].map((record) => [record.id, { ...record, hash: "", at: "" } as unknown as TokenRecord]),
    );
    const access = tokenAccess({ find: (id) => records.get(id), list: () => [...records.values()] }, () => [
      "a",
      "b",
    ]);
    let made = 0;
    const offer = (each: ToolBox): BoxSource => {
      made += 1;
      return offeredBox(each, { mode: "auto", finish: (finished) => finished });
    };
    const live = { status: { concerns: () => false, onConcern: () => () => {} }, onRows: () => {} };
    const source = access.boxes(box, offer, live);
    const principals = [undefined, ...records.values()].map((record) =>
      record && "id" in record ? `${record.name}#${record.id}` : undefined,
    );
    const boxes = principals.map((principal) =>
      Array.from({ length: 5 }, () => chosen(source, client("some-client", principal))),
    );
    for (const list of boxes) expect(new Set(list).size).toBe(1);
    expect(new Set(boxes.map(([first]) => first)).size).toBe(boxes.length);
    expect(made).toBe(boxes.length);
    // The same array until a change: its identity is the version of the list.
    for (const [first] of boxes) expect(first?.descriptors()).toBe(first?.descriptors());
  },
);

verifies(
  "house:layer-tables",
  "no set of declared extensions gives a client a table of its own: there are few keys, whatever clients write",
  () => {
    const relayed = Object.keys(RELAYED_EXTENSIONS);
    const ids = fc.oneof(fc.constantFrom(...relayed), fc.string());
    const declared = fc.dictionary(ids, fc.constant({}), { maxKeys: 6 });
    const tables = new Set<ToolBox>();
    const source = byExtensions(() => createTableBox().box);
    fc.assert(
      fc.property(declared, (extensions) => {
        const key = extensionKey(extensions);
        expect(["", ...EXTENSION_KEYS]).toContain(key);
        // Nothing but the relayed extensions counts, in no order.
        expect(key.split(" ").filter((id) => id !== "")).toEqual(relayed.filter((id) => id in extensions));
        tables.add(chosen(source, { ...client("some-client"), extensions }));
        expect(tables.size).toBeLessThanOrEqual(2 ** relayed.length);
      }),
    );
    expect(EXTENSION_KEYS).toHaveLength(2 ** relayed.length - 1);
  },
);

verifies("house:layer-tables", "and so do those that declared the same relayed extensions", () => {
  const ui = { "io.modelcontextprotocol/ui": {} };
  let made = 0;
  const source = byExtensions(() => {
    made += 1;
    return createTableBox().box;
  });
  const boxOf = (extensions: HostClient["extensions"]): ToolBox =>
    chosen(source, { ...client("some-client"), ...(extensions && { extensions }) });
  const plain = [undefined, {}, { "com.example/x": {} }].map(boxOf);
  const apps = [ui, { "com.example/x": {}, ...ui }].map(boxOf);
  expect([new Set(plain).size, new Set(apps).size, made]).toEqual([1, 1, 2]);
});
