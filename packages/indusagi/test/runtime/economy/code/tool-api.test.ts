import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import type { JsonSchema } from "indusagi/llm";
import { expect } from "vitest";
import { declareTools } from "../../../../src/runtime/economy/code/declarations.ts";
import { identifiers, toolApi } from "../../../../src/runtime/economy/code/tool-api.ts";
import { thousandTools, tool } from "../catalogue.ts";

verifies("code:names", "each name becomes an identifier of its own, whatever the order", () => {
  const pool = [
    "get_sum",
    "get-sum",
    "getSum",
    "GetSum",
    "delete",
    "123",
    "",
    "…",
    "a.b",
    "a_b",
    "aB",
    "toJSON",
    "constructor",
    "__proto__",
  ];
  const names = fc.uniqueArray(fc.oneof(fc.constantFrom(...pool), fc.string()), { maxLength: 30 });
  fc.assert(
    fc.property(names, (given) => {
      const made = identifiers(given, new Set(["delete"]));
      expect(new Set(made.values()).size).toBe(given.length);
      for (const identifier of made.values()) expect(identifier).toMatch(/^[A-Za-z_$][\w$]*$/);
      expect(identifiers(given.toReversed(), new Set(["delete"]))).toEqual(made);
    }),
  );
  expect(identifiers(["read_text_file", "getSum", "x"], new Set())).toEqual(
    new Map([
      ["getSum", "getSum"],
      ["read_text_file", "readTextFile"],
      ["x", "x"],
    ]),
  );
});

verifies(
  "code:names",
  "servers are namespaces, tools of none are in `native`, and reserved words are not used",
  () => {
    const own = { ...tool("x", "read"), name: "read" };
    const { origin: _, ...native } = own;
    const api = toolApi([
      native,
      tool("console", "log"),
      tool("my-files", "delete"),
      tool("my-files", "read_it"),
    ]);
    expect(api.namespaces).toEqual(["native", expect.stringMatching(/^console_\w{4}$/), "myFiles"]);
    expect(api.find("native", "read")).toBe(native);
    expect(api.functions("myFiles")).toEqual([expect.stringMatching(/^delete_\w{4}$/), "readIt"]);
    expect(api.find("myFiles", "delete")?.origin?.tool).toBe("delete");
    expect(api.find("myFiles", "constructor")).toBeUndefined();
  },
);

const NASTY: JsonSchema = {
  type: "object",
  properties: {
    "a b": { type: ["string", "null"], description: "ends */ here\n`code`" },
    kind: { enum: ["one", "x".repeat(300), 3, null] },
    deep: {
      type: "object",
      properties: { x: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "string" }] } } },
    },
    odd: { type: "no such type" as "string" },
    map: { type: "object", additionalProperties: { type: "boolean" } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
    reference: { $ref: "#/$defs/gone" },
  },
  required: ["kind"],
};

verifies(
  "code:declarations",
  "declarations of any tools compile, and one answer stays within its budget",
  async () => {
    const tools = [
      tool("nasty", "odd*/name", {
        description: "Ends */ early.\u2028 Second line.",
        parameters: NASTY,
        outputSchema: NASTY,
      }),
      tool("nasty", "default", { parameters: { type: "object" } }),
      ...thousandTools().slice(0, 40),
    ];
    const api = toolApi(tools);
    const texts = tools.map((each) => declareTools([each], api).text);
    await using dir = await tempDir();
    await writeFile(dir.at("all.d.ts"), texts.join("\n"));
    const compiler = createRequire(import.meta.url)
      .resolve("typescript/package.json")
      .replace("package.json", "bin/tsc");
    const checked = spawnSync(
      process.execPath,
      [compiler, "--ignoreConfig", "--noEmit", "--strict", "--types", "", dir.at("all.d.ts")],
      { encoding: "utf8" },
    );
    expect(checked.stdout).toBe("");
    expect(checked.status).toBe(0);
    const { text, others } = declareTools(tools, api);
    expect(text.length).toBeLessThan(12_500);
    expect(others.length).toBeGreaterThan(0);
  },
);
