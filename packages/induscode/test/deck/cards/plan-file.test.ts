import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { createManualClock } from "indusagi/core";
import { PLANS_DIRNAME, planFilePath, planSlug, readPlan, writePlan } from "induscode/deck";
import { expect } from "vitest";

verifies("cards:plan-files", "a slug is made from the first line with text", () => {
  expect(planSlug("\n  \n# Fix: the *Parser*!\nmore")).toBe("fix-the-parser");
  expect(planSlug("")).toBe("plan");
  expect(planSlug("日本語")).toBe("plan");
  expect(planSlug("word ".repeat(30))).toBe("word-word-word-word-word-word-word-word-word-wor");
});

verifies("cards:plan-files", "no slug and no path leaves the folder of plans", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(planSlug(text)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/);
      expect(planFilePath("/s", planSlug(text))).toBe(`/s/plans/${planSlug(text)}.md`);
      expect(dirname(planFilePath("/s", text))).toBe("/s/plans");
    }),
  );
  expect(planFilePath("/s", "../../etc/passwd")).toBe("/s/plans/etc-passwd.md");
});

verifies("cards:plan-files", "plans of one millisecond get two files, private and whole", async () => {
  await using dir = await tempDir();
  const clock = createManualClock();
  const paths = ["first", "second", "third"].map((end) => writePlan(dir.path, `# A plan ✓\n${end}\n`, clock));
  expect(new Set(paths).size).toBe(3);
  for (const path of paths) {
    expect(dirname(path)).toBe(join(dir.path, PLANS_DIRNAME));
    expect(basename(path)).toMatch(/^[0-9a-z]+-a-plan\.md$/);
  }
  expect(basename(paths[0] ?? "")).toBe(`${clock.nowMs().toString(36)}-a-plan.md`);
  expect(paths.map(readPlan)).toEqual(["first", "second", "third"].map((end) => `# A plan ✓\n${end}\n`));
  expect(readdirSync(join(dir.path, PLANS_DIRNAME)).length).toBe(3);
});

verifies(
  "cards:plan-files",
  "only the owner can read a plan",
  async () => {
    await using dir = await tempDir();
    expect(statSync(writePlan(dir.path, "secret")).mode & 0o777).toBe(0o600);
  },
  { only: ["linux", "darwin"] },
);

verifies("cards:plan-files", "a file that is missing or is a folder reads as undefined", async () => {
  await using dir = await tempDir();
  expect(readPlan(dir.at("none.md"))).toBeUndefined();
  expect(readPlan(dir.path)).toBeUndefined();
});

verifies(
  "cards:plan-files",
  "a pipe in place of a plan does not block",
  async () => {
    await using dir = await tempDir();
    execFileSync("mkfifo", [dir.at("pipe.md")]);
    expect(readPlan(dir.at("pipe.md"))).toBeUndefined();
  },
  { only: ["linux", "darwin"] },
);
