import { writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { makeLocalContext, standardBudget, toolBox } from "indusagi/capabilities";
import { expect } from "vitest";

verifies("context:defaults", "a session is confined to its folder and has what tools need", async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  await writeFile(outside.at("f"), "x");
  await using ctx = makeLocalContext(dir.path);
  expect(ctx).toMatchObject({ cwd: dir.path, contextId: expect.stringMatching(/^[0-9A-Z]{26}$/) as string });
  expect(ctx.budget).toEqual(standardBudget());
  expect(ctx.framework.readState).toBeUndefined();
  await expect(ctx.fs.readText(outside.at("f"))).rejects.toMatchObject({ kind: "outside" });
  await expect(ctx.fs.writeFile(outside.at("f"), "y")).rejects.toMatchObject({ kind: "outside" });
  await using open = makeLocalContext(dir.path, { read: "any" });
  expect(await open.fs.readText(outside.at("f"))).toBe("x");
});

verifies(
  "context:close",
  "closing runs everything that was registered once, also when one of them fails",
  async () => {
    const ctx = makeLocalContext(".");
    const ended: string[] = [];
    ctx.framework.onClose?.(async () => void ended.push("one"));
    ctx.framework.onClose?.(() => {
      throw new Error("at once");
    });
    ctx.framework.onClose?.(() => Promise.reject(new Error("later")));
    ctx.framework.onClose?.(async () => void ended.push("two"));
    await ctx.close();
    await ctx.close();
    expect(ended).toEqual(["one", "two"]);
  },
);

verifies("context:many-calls", "many concurrent calls cause no leak warning", async () => {
  await using dir = await tempDir();
  await using box = toolBox("all", dir.path);
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  const run = (id: number): Promise<unknown> => box.runner.run({ id: String(id), name: "ls", input: {} });
  await Promise.all(Array.from({ length: 50 }, (_, id) => run(id)));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
