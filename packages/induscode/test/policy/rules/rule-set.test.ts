import { mkdirSync, symlinkSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { BASH, samplePolicy, tool, verdictOf, WRITE } from "../sample-policy.ts";

const bash = (options: { allow?: string[]; deny?: string[] }, command: string): string =>
  verdictOf(samplePolicy(options), BASH, { command });

verifies(
  "policy:command-patterns",
  "an allowed pattern allows each command that it matches, and nothing behind it",
  () => {
    const allow = ["bash(npm test*)", "bash(git log *)"];
    for (const command of [
      "npm test",
      "npm test -- --watch",
      "git log",
      "git log -3",
      "npm test && git log",
      "npm test 2>&1 | git log",
      "npm test >/dev/null",
    ])
      expect(bash({ allow }, command), command).toBe("allow by allow");
    for (const command of [
      "npm test; rm -rf x",
      "npm test && rm x",
      "npm test | sh",
      "npm test > out",
      "npm test $(rm x)",
      "npm test `rm x`",
      "npm test <(rm x)",
      "npm test &",
      "npm test\nrm x",
      "npm test & rm x",
      "X=1 npm test",
      "git logs",
      "sudo npm test",
    ])
      expect(bash({ allow }, command), command).toBe("ask by mode");
    // The exact text of an approved line, whatever it does.
    expect(bash({ allow: ["bash(npm test > out; ls \\*)"] }, "npm test > out; ls *")).toBe("allow by allow");
  },
);

verifies(
  "policy:command-patterns",
  "a denied pattern is found in every command of a line, and behind quotes and prefixes",
  () => {
    const deny = ["bash(rm *)"];
    for (const command of [
      "rm x",
      "  rm x",
      "rm",
      "ls; rm -rf x",
      "ls | rm x",
      "r''m x",
      "'rm' x",
      "sudo rm x",
      "X=1 rm x",
      "echo $(rm x)",
      'echo "$(rm x)"',
      "(rm x)",
      "{ rm x; }",
      "if true; then rm x; fi",
      "ls &\nrm x",
    ])
      expect(bash({ deny, allow: ["bash"] }, command), command).toBe("deny by deny");
    // The tool accepts arguments that are sent as JSON text.
    const asText = JSON.stringify({ command: "rm x" });
    expect(verdictOf(samplePolicy({ deny, mode: "bypass" }), BASH, asText)).toBe("deny by deny");
    for (const command of ["rmdir x", "echo rm", "git rm x"])
      expect(bash({ deny, allow: ["bash"] }, command), command).toBe("allow by allow");
  },
);

verifies(
  "policy:rules",
  "a pattern for paths is about the real file: allow needs it, deny takes the written one too",
  async () => {
    await using temp = await tempDir();
    mkdirSync(temp.at("src/deep"), { recursive: true });
    mkdirSync(temp.at("dist"));
    symlinkSync("../dist", temp.at("src/link"));
    const on = (options: { allow?: string[]; deny?: string[] }, path: string): string =>
      verdictOf(samplePolicy({ cwd: temp.path, ...options }), WRITE, { path });
    for (const path of ["src/a.ts", "./src/deep/b.ts", temp.at("src/c.ts"), "dist/../src/x"])
      expect(on({ allow: ["write(src/**)"] }, path), path).toBe("allow by allow");
    for (const path of ["src/link/a.js", "dist/a.js", "src2/a.ts", "src"])
      expect(on({ allow: ["write(src/**)"] }, path), path).toBe("ask by mode");
    expect(on({ allow: ["write(src/)"] }, "src/deep/x")).toBe("allow by allow");
    expect(on({ allow: ["write(src/*.ts)"] }, "src/deep/x.ts")).toBe("ask by mode");
    expect(on({ allow: ["write(**/*.ts)"] }, "x.ts")).toBe("allow by allow");
    expect(on({ deny: ["write(dist/**)"] }, "src/link/a.js")).toBe("deny by deny");
    expect(on({ deny: ["write(src/link/**)"] }, "src/link/a.js")).toBe("deny by deny");
    expect(on({ deny: [`write(${temp.path}/dist/*)`] }, "dist/a.js")).toBe("deny by deny");
  },
);

verifies("policy:rules", "a pattern for any other tool is about the canonical JSON of its arguments", () => {
  const mounted = tool("gh__create");
  const on = (allow: string[], input: unknown): string => verdictOf(samplePolicy({ allow }), mounted, input);
  expect(on(['gh__*(*"repo":"mine"*)'], { title: "x", repo: "mine" })).toBe("allow by allow");
  expect(on(['gh__create({"a":1,"b":2})'], { b: 2, a: 1 })).toBe("allow by allow");
  expect(on(['gh__create({"a":1})'], { b: 2, a: 1 })).toBe("ask by mode");
  expect(on(["other__*"], {})).toBe("ask by mode");
});

verifies("policy:rules", "on systems that ignore case, a denied path does too", () => {
  const places = { env: { HOME: "/home/ada" }, platform: "darwin" } as const;
  const on = (options: object): string =>
    verdictOf(samplePolicy({ places, ...options }), WRITE, { path: "SRC/A.ts" });
  expect(on({ deny: ["write(src/**)"] })).toBe("deny by deny");
  expect(on({ allow: ["write(src/**)"] })).toBe("ask by mode");
});
