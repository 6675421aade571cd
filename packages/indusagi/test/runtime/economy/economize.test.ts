import { verifies } from "@indus/testkit";
import {
  answeredOutcome,
  createTableBox,
  type EconomyOptions,
  economize,
  listCost,
  type ToolBox,
  type ToolBoxChange,
  type ToolOutcome,
  textResult,
} from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf, entryOf, thousandTools, tool } from "./catalogue.ts";

const namesOf = (box: ToolBox): string[] => box.descriptors().map(({ name }) => name);
const OWN = ["tool_search", "tool_describe", "tool_call"];

function call(box: ToolBox, name: string, input: unknown): Promise<ToolOutcome> {
  return box.runner.run({ id: "1", name, input });
}

async function textOf(box: ToolBox, name: string, input: unknown): Promise<string> {
  return String((await call(box, name, input)).output);
}

verifies("economy:list", "pinned tools, small servers, and the limit of tokens", () => {
  const tools = [
    ...thousandTools(),
    tool("small", "one", { description: "Small." }),
    tool("small", "two", { description: "Small." }),
    tool("costly", "huge", { description: "x".repeat(8_000) }),
    tool("trio", "a"),
    tool("trio", "b"),
    tool("trio", "c"),
    tool("quartet", "a"),
    tool("quartet", "b"),
    tool("quartet", "c"),
    tool("quartet", "d"),
  ];
  const box = economize(boxOf(tools).box, { pinned: ["acme__list_ticket", "fjord__list_*"], recent: 0 });
  const listed = namesOf(box);
  expect(listed.slice(0, 4)).toEqual([...OWN, "acme__list_ticket"]);
  expect(listed.filter((name) => name.startsWith("fjord__list_"))).toHaveLength(10);
  // The eleven pinned tools alone are over the limit, so that nothing else is listed.
  expect(listed).toHaveLength(14);
  expect(namesOf(economize(boxOf(tools).box))).toEqual([
    ...OWN,
    "small__one",
    "small__two",
    "trio__a",
    "trio__b",
    "trio__c",
    // Its description is listed shortened.
    "costly__huge",
  ]);
  expect(namesOf(economize(boxOf(tools).box, { smallServer: 0 }))).toEqual(OWN);
  const undefinedOptions: object = {
    pinned: undefined,
    recent: undefined,
    smallServer: undefined,
    visibleTokens: undefined,
  };
  expect(namesOf(economize(boxOf(tools).box, undefinedOptions as EconomyOptions))).toEqual(
    namesOf(economize(boxOf(tools).box)),
  );
  expect(listCost(economize(boxOf(tools).box).descriptors())).toBeLessThanOrEqual(1_500);
});

verifies(
  "economy:list",
  "tools used last are listed, the oldest gives way, and clients are told once",
  async () => {
    const box = economize(boxOf(thousandTools()).box, { recent: 2 });
    const changes: ToolBoxChange[] = [];
    box.onChange((change) => void changes.push(change));
    await call(box, "tool_call", { name: "acme__list_ticket", arguments: { ticket_id: "7" } });
    await call(box, "acme__copy_photo", { photo_id: "1" });
    await call(box, "tool_call", { name: "acme__list_ticket" });
    expect(namesOf(box)).toEqual([...OWN, "acme__copy_photo", "acme__list_ticket"]);
    await call(box, "tool_call", { name: "none" });
    await call(box, "fjord__list_photo", {});
    expect(namesOf(box)).toEqual([...OWN, "fjord__list_photo", "acme__list_ticket"]);
    expect(changes.map(({ added, removed }) => [added.length, removed.length])).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
    ]);
  },
);

verifies("economy:list", "a change among tools that are not listed is no change; a new server is", () => {
  const tools = thousandTools();
  const table = boxOf(tools);
  const box = economize(table.box);
  const changes: ToolBoxChange[] = [];
  box.onChange((change) => void changes.push(change));
  table.replace(tools.slice(1).map(entryOf));
  expect(changes).toEqual([]);
  table.replace([...tools, tool("newcomer", "hello")].map(entryOf));
  expect(changes).toHaveLength(1);
  expect(changes[0]?.changed.map(({ name }) => name)).toEqual(["tool_search"]);
  expect(changes[0]?.added.map(({ name }) => name)).toEqual(["newcomer__hello"]);
  expect(box.descriptors()[0]?.description).toContain("newcomer");
});

verifies("economy:above", "the list is whole until it exceeds the limit", () => {
  const tools = [tool("a", "one"), tool("a", "two", { description: "y".repeat(3_000) })];
  const table = boxOf(tools);
  const box = economize(table.box, { above: { tools: 2 } });
  expect(box.descriptors()).toEqual(table.box.descriptors());
  expect(box.descriptors().every((shown, at) => shown === table.box.descriptors()[at])).toBe(true);
  table.replace([...tools, tool("a", "three"), tool("a", "four")].map(entryOf));
  expect(namesOf(box)).toEqual(OWN);
  table.replace(tools.map(entryOf));
  expect(namesOf(box)).toEqual(["a__one", "a__two"]);
  expect(namesOf(economize(table.box, { above: { tokens: 500 }, smallServer: 1 }))).toEqual([...OWN]);
  expect(namesOf(economize(table.box, { above: { tokens: 5_000 } }))).toEqual(["a__one", "a__two"]);
});

verifies("economy:search", "signatures and purposes, one server, no match and wrong arguments", async () => {
  const box = economize(boxOf(thousandTools()).box);
  const found = await textOf(box, "tool_search", { query: "share a photo", server: "delphi" });
  expect(found.split("\n").slice(0, 3)).toEqual([
    "10 of 1000 tools, the best first. Run one with tool_call; tool_describe gives its whole definition.",
    "delphi__share_photo(photo_id: string, note?: string)",
    "  share one photo of your account.",
  ]);
  expect(found).not.toContain("acme__");
  expect(found.split("\n")).toHaveLength(22);
  expect(found).toMatch(/\nLess likely: delphi__\w+(, delphi__\w+)+$/);
  expect(await textOf(box, "tool_search", { query: "zzzzqqqq" })).toMatch(
    /^No tool matches\..*delphi \(100\)/,
  );
  expect(await call(box, "tool_search", {})).toMatchObject({ isError: true });
  expect(await call(box, "tool_search", { query: "x", server: "none" })).toMatchObject({
    isError: true,
    output: 'there is no server named "none"; leave it out to search all',
  });
});

verifies("economy:describe", "definitions as their servers sent them, and unknown names", async () => {
  const definition = {
    name: "get",
    description: "Gets.",
    inputSchema: { type: "object", $defs: {} },
    icons: [],
  };
  const box = economize(
    boxOf([tool("s", "get", { description: "Gets.", definition }), tool("s", "put")]).box,
  );
  const text = await textOf(box, "tool_describe", { names: ["s__get", "s__gat"] });
  const [first = "", second] = text.split("\n");
  expect(JSON.parse(first)).toEqual({
    name: "s__get",
    description: "Gets.",
    inputSchema: definition.inputSchema,
  });
  expect(second).toBe('there is no tool named "s__gat"; did you mean s__get or s__put?');
  expect(await call(box, "tool_describe", { names: ["q"] })).toMatchObject({ isError: true });
  expect(await call(box, "tool_describe", { names: [] })).toMatchObject({ isError: true });
  // Models send lists as text.
  expect(await textOf(box, "tool_describe", { names: '["s__put"]' })).toContain('"s__put"');
});

verifies(
  "economy:gate",
  "a withheld tool is not found, and its reason is given where it is named",
  async () => {
    const fault = { kind: "tool_error", reason: "policy", retrySafe: true } as const;
    const refusalOf = (name: string) =>
      name === "s__gone" ? { message: "s__gone is withheld", fault } : undefined;
    const { box: inner } = createTableBox([entryOf(tool("s", "here"))], { refusalOf });
    const box = economize(inner);
    expect(await textOf(box, "tool_search", { query: "gone" })).toMatch(/^No tool matches/);
    expect(await textOf(box, "tool_describe", { names: ["s__gone"] })).toBe("s__gone is withheld");
    expect(await call(box, "tool_call", { name: "s__gone" })).toMatchObject({
      output: "s__gone is withheld",
      fault,
    });
    expect(box.refusalOf?.("s__gone")).toEqual({ message: "s__gone is withheld", fault });
  },
);

verifies("economy:call", "the same outcome object, and one line for what cannot be called", async () => {
  const outcome = answeredOutcome("1", textResult("hi"));
  const seen: unknown[] = [];
  const { box: inner } = createTableBox([
    {
      descriptor: tool("s", "echo"),
      run: async (...given) => {
        seen.push(...given);
        return outcome;
      },
    },
  ]);
  const box = economize(inner);
  const args = { deep: [1, { a: "5" }], none: null };
  const { signal } = new AbortController();
  const caller = { key: "k", can: {} };
  const given = {
    id: "1",
    name: "tool_call",
    input: { name: "s__echo", arguments: args },
    meta: { trace: 1 },
  };
  expect(await box.runner.run(given, signal, caller)).toBe(outcome);
  expect(seen).toEqual([{ id: "1", name: "s__echo", input: args, meta: { trace: 1 } }, signal, caller]);
  expect((seen[0] as { readonly input: unknown }).input).toBe(args);
  expect(seen[1]).toBe(signal);
  expect(seen[2]).toBe(caller);
  expect(await textOf(box, "tool_call", {})).toBe("tool_call: name: the name of the tool to call is missing");
  expect(await textOf(box, "tool_call", { name: "tool_search" })).toBe(
    "tool_call: tool_search is called directly, not through tool_call",
  );
  expect(await call(box, "tool_call", { name: "none" })).toEqual(await call(inner, "none", {}));
});

verifies("economy:two-steps", "search, then call", async () => {
  const box = economize(boxOf(thousandTools()).box);
  expect(listCost(box.descriptors())).toBeLessThanOrEqual(1_500);
  // What a model does: it searches with its own words, takes the first signature, and calls it.
  const found = await textOf(box, "tool_search", { query: "borealis: lock a vehicle" });
  const [, name = "", argument = ""] = /^(\w+)\((\w+): string/m.exec(found) ?? [];
  const answer = await textOf(box, "tool_call", { name, arguments: { [argument]: "B-1" } });
  expect(answer).toBe('borealis__lock_vehicle {"vehicle_id":"B-1"}');
});
