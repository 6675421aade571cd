import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { openRuleFile } from "induscode/conductor";
import { expect } from "vitest";

verifies(
  "session:kept-rules",
  "a rule is kept once; a damaged or shared file is reported, not used and not overwritten",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("rules.json");
    const reports: string[] = [];
    const rules = openRuleFile(path, (message) => void reports.push(message));
    expect(rules.list()).toEqual([]);
    for (const rule of ["edit", "bash(git status *)", "edit"]) rules.add(rule);
    expect(rules.list()).toEqual(["edit", "bash(git status *)"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    expect(rules.list()).toEqual([]);
    expect(reports.at(-1)).toContain(
      "it is open to other users (mode 0644); if you trust its content, run chmod 600 on it",
    );
    chmodSync(path, 0o600);
    writeFileSync(path, "{}");
    rules.add("write");
    expect(reports.at(-1)).toContain("lasts for this session only");
    expect(readFileSync(path, "utf8")).toBe("{}");
  },
);
