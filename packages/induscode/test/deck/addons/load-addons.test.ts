import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { createTableBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { loadAddons } from "../../../src/deck/addons/index.ts";

function addonFolder(dir: TempDir, files: { readonly [name: string]: string }): string {
  mkdirSync(dir.at("addons"), { mode: 0o755 });
  for (const [name, text] of Object.entries(files)) writeFileSync(dir.at("addons", name), text);
  return dir.at("addons");
}

/** A box with one tool, which answers with its input. */
const echoBox = (): ReturnType<typeof createTableBox>["box"] =>
  createTableBox([
    {
      descriptor: { name: "echo", description: "Echoes.", parameters: { type: "object" } },
      run: async ({ id, input }) => ({
        id,
        output: input,
        isError: false,
        result: textResult(JSON.stringify(input)),
      }),
    },
  ]).box;

verifies(
  "addons:tools",
  "files of the folder add tools in the order of their names; others are not loaded",
  async () => {
    await using dir = await tempDir();
    const tool = (name: string, rest = ""): string =>
      `export const tools = [{ name: "${name}", description: "d", run: () => "from ${name}"${rest} }];`;
    const folder = addonFolder(dir, {
      "b.mjs": tool("second", ", readOnly: true"),
      "a.mjs": tool("first"),
      "c.js": tool("never"),
    });
    const reports: string[] = [];
    const { tools } = await loadAddons(folder, (line) => reports.push(line));
    expect(tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([
      ["first", false],
      ["second", true],
    ]);
    expect(reports).toEqual([]);
    expect((await loadAddons(dir.at("absent"), (line) => reports.push(line))).tools).toEqual([]);
    expect(reports).toEqual([]);
  },
);

verifies(
  "addons:around",
  "interceptors see each call, change arguments and results, the first file outermost",
  async () => {
    await using dir = await tempDir();
    const folder = addonFolder(dir, {
      "1.mjs": `export const around = async (call, next) => {
      const { content } = await next({ ...call.input, one: true });
      return { content: [...content, { kind: "text", text: call.name }] };
    };`,
      "2.mjs": `export const around = (call, next) => next({ ...call.input, two: true });`,
    });
    const box = (await loadAddons(folder, () => {})).around(echoBox());
    const outcome = await box.runner.run({ id: "1", name: "echo", input: { zero: true } });
    expect(outcome.result.content).toEqual([
      { kind: "text", text: '{"zero":true,"one":true,"two":true}' },
      { kind: "text", text: "echo" },
    ]);
    const plain = echoBox();
    expect((await loadAddons(dir.at("absent"), () => {})).around(plain)).toBe(plain);
  },
);

verifies(
  "addons:fault",
  "an addon that cannot be loaded or fails is named, and the others work",
  async () => {
    await using dir = await tempDir();
    const folder = addonFolder(dir, {
      "1-syntax.mjs": "export const tools = [",
      "2-throws.mjs": 'throw new Error("no network")',
      "3-empty.mjs": "export const other = 1;",
      "4-tool.mjs": 'export const tools = [{ name: "a b", description: "d", run: () => "" }];',
      "5-open.mjs": 'export const tools = [{ name: "open", description: "d", run: () => "" }];',
      "6-good.mjs": `export const tools = [{ name: "good", description: "d", run: () => "works" }];
      export const around = () => { throw new Error("broken inside"); };`,
    });
    chmodSync(dir.at("addons", "5-open.mjs"), 0o666);
    const reports: string[] = [];
    const { tools, around } = await loadAddons(folder, (line) => reports.push(line));
    expect(tools.map(({ name }) => name)).toEqual(["good"]);
    expect(reports.map((line) => line.split(":")[0])).toEqual(
      ["1-syntax", "2-throws", "3-empty", "4-tool", "5-open"].map((name) => `addon ${name}.mjs is not used`),
    );
    expect(reports[1]).toContain("no network");
    expect(reports[4]).toContain("others may change");
    const outcome = await around(echoBox()).runner.run({ id: "1", name: "echo", input: {} });
    expect(outcome).toMatchObject({
      isError: true,
      result: { content: [{ text: "addon 6-good.mjs failed: broken inside" }] },
    });
    const stop = new AbortController();
    const waiting = around(echoBox()).runner.run({ id: "2", name: "echo", input: {} }, stop.signal);
    stop.abort();
    expect((await waiting).isError).toBe(true);
  },
);
