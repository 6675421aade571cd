import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { locateToolPath, locateWord } from "../../../src/policy/paths/locate.ts";
import { pathsOfCommand, pathsOfInput } from "../../../src/policy/paths/mentioned-paths.ts";
import { realPath } from "../../../src/policy/paths/real-path.ts";

verifies(
  "policy:protected",
  "links are followed, also to what does not exist yet, and in the middle of a path",
  async () => {
    await using temp = await tempDir();
    mkdirSync(temp.at("real/deep"), { recursive: true });
    writeFileSync(temp.at("real/file"), "");
    symlinkSync("real", temp.at("link"));
    symlinkSync(temp.at("nowhere/file"), temp.at("dangling"));
    symlinkSync("loop", temp.at("loop"));
    expect(realPath(temp.at("link/file"))).toBe(temp.at("real/file"));
    expect(realPath(temp.at("link/new/file"))).toBe(temp.at("real/new/file"));
    expect(realPath(temp.at("dangling"))).toBe(temp.at("nowhere/file"));
    expect(realPath(temp.at("loop"))).toContain("loop");
    expect(realPath(temp.at("real/file/below"))).toBe(temp.at("real/file/below"));
    expect(realPath("/")).toBe("/");
  },
);

verifies(
  "policy:roots",
  "a tool removes .. from a path as written, a program follows the link before it",
  async () => {
    await using temp = await tempDir();
    mkdirSync(temp.at("outside/inner"), { recursive: true });
    mkdirSync(temp.at("work"));
    symlinkSync(temp.at("outside/inner"), temp.at("work/link"));
    const base = { cwd: temp.at("work"), realCwd: temp.at("work"), home: temp.at("home") };
    expect(locateToolPath("link/../x", base).map(({ real }) => real)).toEqual([temp.at("work/x")]);
    expect(locateWord("link/../x", base).real).toBe(temp.at("outside/x"));
    expect(locateToolPath("~/x", base)[0]?.real).toBe(temp.at("home/x"));
    expect(locateToolPath("@/etc/x", base).map(({ written }) => written)).toContain("/etc/x");
  },
);

verifies(
  "policy:protected",
  "a command line mentions words, targets, values of options and folders it changes to",
  () => {
    const mentioned = (text: string): string[] =>
      pathsOfCommand(text, { cwd: "/w", realCwd: "/w", home: "/home/ada" }).map(({ real }) => real);
    expect(mentioned("echo x >> ~/.bashrc")).toContain("/home/ada/.bashrc");
    expect(mentioned("cp a --target=.git/hooks")).toContain("/w/.git/hooks");
    expect(mentioned("tar -C.git/x -f y")).toContain("/w/.git/x");
    expect(mentioned("cd sub && touch .git")).toContain("/w/sub/.git");
    expect(mentioned('x=$(echo "a" > .git/config)')).toContain("/w/.git/config");
    expect(mentioned("echo '.git/a b'")).toContain("/w/.git/a b");
  },
);

verifies("policy:protected", "arguments mention every text that may be a path", () => {
  const input = { files: [{ uri: "file:///p/.git/config" }], note: "no path", path: "~/.zshrc" };
  const real = pathsOfInput(input, { cwd: "/w", realCwd: "/w", home: "/home/ada" }).map((path) => path.real);
  expect(real).toContain("/p/.git/config");
  expect(real).toContain("/home/ada/.zshrc");
  expect(real).toHaveLength(2);
});
