import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  builtinRegistry,
  defineTool,
  MUTATING_NAMES,
  makeLocalContext,
  READ_ONLY_NAMES,
  ToolRegistry,
  UnknownCollectionError,
  UnknownToolError,
} from "indusagi/capabilities";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";

const tool = (name: string, message = name) =>
  defineTool({ name, description: message, parameters: { type: "object" }, run: () => textResult(message) });

verifies(
  "kernel:registry",
  "names keep the order of their first registration, and the last tool of a name wins",
  () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "c", "toString", "__proto__")), (names) => {
        const registry = new ToolRegistry();
        names.forEach((name, index) => registry.register(tool(name, String(index))));
        expect(registry.names()).toEqual([...new Set(names)]);
        for (const name of names)
          expect(registry.get(name).description).toBe(String(names.lastIndexOf(name)));
      }),
    );
  },
);

verifies("kernel:registry", "unknown tools and collections are typed errors that list the known ones", () => {
  const registry = new ToolRegistry().registerAll([tool("a"), tool("b")]).collection("one", ["a"]);
  expect(() => registry.get("c")).toThrow(UnknownToolError);
  expect(() => registry.get("c")).toThrow('there is no tool named "c"; known: a, b');
  expect(() => registry.membersOf("two")).toThrow(UnknownCollectionError);
  expect(() => registry.membersOf("two")).toThrow('there is no collection named "two"; known: one');
  expect(() => registry.collection("bad", ["a", "z"])).toThrow(UnknownToolError);
  expect(() => registry.toToolBox(() => makeLocalContext("."), "two")).toThrow(UnknownCollectionError);
  expect(registry.has("a")).toBe(true);
  expect(registry.has("z")).toBe(false);
  expect(registry.collectionNames()).toEqual(["one"]);
  expect(registry.remove("z")).toBe(false);
});

verifies("kernel:registry", "a box of a collection shows and runs its members only", async () => {
  const registry = new ToolRegistry().registerAll([tool("a"), tool("b")]).collection("one", ["b"]);
  const context = makeLocalContext(".");
  const box = registry.toToolBox(() => context, "one");
  expect(box.descriptors().map((descriptor) => descriptor.name)).toEqual(["b"]);
  expect((await box.runner.run({ id: "1", name: "a", input: {} })).isError).toBe(true);
  registry.remove("b");
  expect(box.descriptors()).toEqual([]);
});

verifies("kernel:collections", "the native tools and their collections are pinned", () => {
  const registry = builtinRegistry();
  const readOnly = ["read", "ls", "grep", "find", "websearch", "webfetch", "todo_read"];
  const mutating = ["write", "edit", "bash", "todo_set", "process"];
  expect(READ_ONLY_NAMES).toEqual(readOnly);
  expect(MUTATING_NAMES).toEqual(mutating);
  expect(registry.membersOf("read-only")).toEqual(readOnly);
  expect(registry.membersOf("coding")).toEqual([...readOnly, ...mutating]);
  expect(registry.membersOf("all")).toEqual(registry.names());
  expect(registry.names().toSorted()).toEqual([...readOnly, ...mutating].toSorted());
  expect(registry.names()).toHaveLength(12);
  expect(registry.collectionNames()).toEqual(["read-only", "coding", "all"]);
});

verifies("kernel:collections", "exactly the read-only tools have readOnlyHint", () => {
  const registry = builtinRegistry();
  for (const name of registry.names()) {
    const { annotations, parameters } = registry.get(name).descriptor();
    expect(annotations?.readOnlyHint, name).toBe(READ_ONLY_NAMES.includes(name));
    expect(parameters["type"], name).toBe("object");
  }
});
