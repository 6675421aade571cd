import { verifies } from "@indus/testkit";
import { builtinRegistry, makeLocalContext, toolBox } from "indusagi/capabilities";
import type { ToolDescriptor } from "indusagi/llm";
import { type Capability, effectOf, ToolDeck } from "induscode/deck";
import { expect } from "vitest";
import { capability } from "./sample-capabilities.ts";

/** The effect by the descriptor that a box of a deck shows. */
function inDeck(card: Capability, input: unknown) {
  const [descriptor] = new ToolDeck([card], makeLocalContext(".")).intoToolBox().descriptors();
  return descriptor && effectOf(descriptor, input);
}

const native = (name: string): ToolDescriptor => builtinRegistry().get(name).descriptor();

const NATIVE: readonly (readonly [string, unknown, object])[] = [
  ["read", { path: "a" }, { readOnly: true, paths: ["a"] }],
  ["ls", {}, { readOnly: true, paths: ["."] }],
  ["ls", { path: "~/x" }, { readOnly: true, paths: ["~/x"] }],
  ["grep", { pattern: "x", path: "src" }, { readOnly: true, paths: ["src"] }],
  ["find", { query: "x" }, { readOnly: true, paths: ["."] }],
  ["websearch", { query: "x" }, { readOnly: true, paths: [] }],
  ["webfetch", { url: "x" }, { readOnly: true, paths: [] }],
  ["todo_read", {}, { readOnly: true, paths: [] }],
  ["write", { path: "a", content: "" }, { readOnly: false, destructive: true, paths: ["a"] }],
  ["edit", { path: "a" }, { readOnly: false, destructive: true, paths: ["a"] }],
  ["write", {}, { readOnly: false, destructive: true }],
  ["bash", { command: "ls" }, { readOnly: false, destructive: true }],
  ["process", { action: "list" }, { readOnly: false, destructive: true }],
  ["todo_set", { items: [] }, { readOnly: false, destructive: false, paths: [] }],
];

for (const [name, input, effect] of NATIVE)
  verifies("deck:effect", `native: ${name} with ${JSON.stringify(input)}`, () => {
    expect(effectOf(native(name), input)).toEqual(effect);
  });

verifies("deck:effect", "the twelve native tools are all in the list above", async () => {
  await using box = toolBox("coding", ".");
  expect(new Set(NATIVE.map(([name]) => name))).toEqual(new Set(box.descriptors().map(({ name }) => name)));
});

verifies("deck:effect", "arguments sent as JSON text have the paths that the tool will use", () => {
  const input = JSON.stringify({ path: ".git/config", content: "" });
  expect(effectOf(native("write"), input)).toMatchObject({ paths: [".git/config"] });
});

verifies("deck:effect", "a card's own effect counts, by its descriptor, and gets coerced input", () => {
  const effect: Capability["effect"] = (input) => ({
    readOnly: (input as { readonly count?: unknown }).count === 1,
  });
  const card = capability("memory", { effect });
  expect(inDeck(card, { count: "1" })).toEqual({ readOnly: true });
  expect(inDeck(card, '{"count":1}')).toEqual({ readOnly: true });
  expect(inDeck(card, { count: 2 })).toEqual({ readOnly: false });
  // Another tool of the same name is not the card.
  expect(effectOf({ ...card.descriptor }, { count: 1 })).toEqual({ readOnly: false });
});

verifies("deck:effect", "an effect that throws is that of a tool that may change something", () => {
  const effect = (): never => {
    throw new Error("broken");
  };
  expect(inDeck(capability("odd", { effect, readOnly: true }), {})).toEqual({ readOnly: false });
});

verifies(
  "deck:effect",
  "a card without effect is as read-only as it states; a mounted one is not asked",
  () => {
    const origin = { server: "s", tool: "x" };
    const card = capability("x", { readOnly: true });
    expect(inDeck(card, {})).toEqual({ readOnly: true });
    const mounted = capability("y", {
      readOnly: true,
      descriptor: { ...card.descriptor, name: "y", origin },
    });
    expect(inDeck(mounted, {})).toEqual({ readOnly: false });
  },
);

verifies("deck:effect", "a mounted tool has its annotations, and no paths even under a native name", () => {
  const mounted = (annotations: object): ToolDescriptor => ({
    name: "write",
    description: "",
    parameters: {},
    origin: { server: "s", tool: "write" },
    annotations,
  });
  expect(effectOf(mounted({ readOnlyHint: true, destructiveHint: true }), { path: "a" })).toEqual({
    readOnly: true,
  });
  expect(effectOf(mounted({ destructiveHint: false }), {})).toEqual({ readOnly: false, destructive: false });
  expect(effectOf(mounted({ readOnlyHint: "true" }), {})).toEqual({ readOnly: false });
});
