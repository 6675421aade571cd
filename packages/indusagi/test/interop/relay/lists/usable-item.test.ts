import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { isUsableItem } from "../../../../src/interop/relay/lists/usable-item.ts";

verifies("relay:shape", "an item with a wrong member is left out; unknown members do not matter", () => {
  const good = {
    uri: "x://1",
    name: "one",
    title: "One",
    size: 3,
    icons: [{ src: "data:,", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
    annotations: { audience: ["user", "assistant"], priority: 0.5, lastModified: "2025-01-01", other: 1 },
    _meta: { any: ["thing"] },
    "x-unknown": 1,
  };
  expect(isUsableItem("resources", good)).toBe(true);
  const wrong: readonly object[] = [
    { uri: 7 },
    { name: undefined },
    { title: 1 },
    { size: "3" },
    { icons: [{}] },
    { icons: {} },
    { annotations: [] },
    { annotations: { audience: ["robot"] } },
    { annotations: { priority: 2 } },
    { _meta: [] },
  ];
  for (const member of wrong)
    expect(isUsableItem("resources", { ...good, ...member }), JSON.stringify(member)).toBe(false);
  expect(isUsableItem("templates", good)).toBe(false);
  expect(isUsableItem("templates", { uriTemplate: "x://{a}", name: "t" })).toBe(true);
  const prompt = (args: unknown): boolean => isUsableItem("prompts", { name: "p", arguments: args });
  expect([prompt(undefined), prompt([{ name: "a", required: true }])]).toEqual([true, true]);
  expect([prompt([{}]), prompt([null]), prompt([{ name: "a", required: "yes" }])]).toEqual([
    false,
    false,
    false,
  ]);
});
