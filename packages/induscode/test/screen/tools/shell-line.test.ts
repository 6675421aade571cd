import { execFileSync } from "node:child_process";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { shellLine } from "../../../src/screen/index.ts";
import { breakShellLine } from "../../../src/screen/tools/shell-line.ts";

verifies("mcp-tools:shell", "plain words stay plain, others are quoted", () => {
  expect(shellLine(["indus", "a=b", "it's", "", "{}"], "linux")).toBe(`indus a=b 'it'\\''s' '' '{}'`);
  expect(shellLine(["it's"], "win32")).toBe("'it''s'");
});

verifies(
  "mcp-tools:shell",
  "a shell splits the line into the same words",
  () => {
    const word = fc.string({ unit: "binary-ascii", maxLength: 8 }).filter((text) => !text.includes("\0"));
    const words = fc.sample(word, 200);
    const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${shellLine(words)}`]).toString();
    expect(printed.split("\0").slice(0, -1)).toEqual(words);
    const broken = breakShellLine(shellLine(words), 40);
    expect(broken).toContain(" \\\n      ");
    const again = execFileSync("sh", ["-c", `printf '%s\\0' ${broken}`]).toString();
    expect(again).toBe(printed);
    expect(breakShellLine("indus mcp call", 5, "win32")).toBe("indus mcp call");
  },
  { only: ["linux", "darwin"] },
);
