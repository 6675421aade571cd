import { symlink } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { findTool } from "indusagi/capabilities";
import { expect } from "vitest";
import { contextIn, memoryFs, runTool, writeTree } from "./fixture.ts";

const TREE = {
  "src/Tool.ts": "",
  "src/tool.test.ts": "",
  "src/deep/tools/index.ts": "",
  "README.md": "",
  ".env": "",
  "tools.txt": "",
  "empty-tools": null,
} as const;

verifies("find:query", "a plain query is a part of the name, ignoring case", async () => {
  await using dir = await tempDir();
  await writeTree(dir.path, TREE);
  const ctx = contextIn(dir.path);
  expect((await runTool(findTool(), { query: "TOOL" }, ctx)).text.split("\n")).toEqual([
    "empty-tools/",
    "src/Tool.ts",
    "src/deep/tools/",
    "src/tool.test.ts",
    "tools.txt",
  ]);
  expect((await runTool(findTool(), { query: ".env" }, ctx)).text).toBe(".env");
  expect(await runTool(findTool(), { query: "src/" }, ctx)).toEqual({
    text: 'Nothing named "src/" in the working folder.',
    isError: false,
  });
});

verifies(
  "find:query",
  "a query with * or ? is a glob for the whole name, or for the whole path if it has a slash",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, TREE);
    const names = async (query: string, path?: string): Promise<string[]> =>
      (await runTool(findTool(), { query, path }, contextIn(dir.path))).text.split("\n");
    expect(await names("*.TS")).toEqual(["src/Tool.ts", "src/deep/tools/index.ts", "src/tool.test.ts"]);
    expect(await names("tool.?s")).toEqual(["src/Tool.ts"]);
    expect(await names("ool*")).toEqual(['Nothing named "ool*" in the working folder.']);
    expect(await names("src/*.ts")).toEqual(["src/Tool.ts", "src/tool.test.ts"]);
    expect(await names("./src/**/*.ts")).toEqual([
      "src/Tool.ts",
      "src/deep/tools/index.ts",
      "src/tool.test.ts",
    ]);
    expect(await names("*.{md,txt}")).toEqual(["README.md", "tools.txt"]);
    expect(await names("*", "src/deep")).toEqual(["tools/", "tools/index.ts"]);
  },
);

verifies(
  "find:type",
  "file means regular files, dir means folders; without a type links are listed too",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "a-file": "", "a-dir": null });
    await symlink("a-dir", dir.at("a-link"));
    const ctx = contextIn(dir.path);
    expect((await runTool(findTool(), { query: "a-" }, ctx)).text).toBe("a-dir/\na-file\na-link");
    expect((await runTool(findTool(), { query: "a-", type: "file" }, ctx)).text).toBe("a-file");
    expect((await runTool(findTool(), { query: "a-", type: "dir" }, ctx)).text).toBe("a-dir/");
    expect((await runTool(findTool(), { query: "a-", type: "link" }, ctx)).isError).toBe(true);
  },
);

verifies("find:cap", "the first 500 names are shown and the rest is counted", async () => {
  await using dir = await tempDir();
  const names = Array.from({ length: 623 }, (_, at) => `d${at % 3}/f${String(at).padStart(4, "0")}`);
  await writeTree(dir.path, Object.fromEntries(names.map((name) => [name, ""])));
  const lines = (await runTool(findTool(), { query: "f" }, contextIn(dir.path))).text.split("\n");
  expect(lines.slice(0, 500)).toEqual([...names].sort().slice(0, 500));
  expect(lines.slice(500)).toEqual(["", "[123 more not shown; narrow the query or the path]"]);

  const small = contextIn(dir.path, { budget: { kind: "middle", maxBytes: 95 } });
  expect((await runTool(findTool(), { query: "f" }, small)).text.split("\n").slice(-3)).toEqual([
    "d0/f0027",
    "",
    "[613 more not shown; narrow the query or the path]",
  ]);
});

verifies("find:leaves-out", "ignored names and targets of links are not found", async () => {
  await using dir = await tempDir();
  await writeTree(dir.path, {
    ".gitignore": "dist/\n*.log",
    "dist/x": "",
    "x.log": "",
    "x.txt": "",
    "sub/.gitignore": "!x.log",
    "sub/x.log": "",
    ".git/x": "",
    "node_modules/x": "",
  });
  await symlink(dir.path, dir.at("sub", "loop"));
  const ctx = contextIn(dir.path);
  expect((await runTool(findTool(), { query: "x*" }, ctx)).text).toBe("sub/x.log\nx.txt");
  expect((await runTool(findTool(), { query: "x", path: "sub" }, ctx)).text).toBe("x.log");
  expect((await runTool(findTool(), { query: "x", path: "x.txt" }, ctx)).text).toBe(
    "find: x.txt is a file; give a folder",
  );
});

verifies("grep:confined", "find refuses a folder outside", async () => {
  await using dir = await tempDir();
  await writeTree(dir.path, { "w/x": "", secret: "" });
  const { text, isError } = await runTool(
    findTool(),
    { query: "secret", path: ".." },
    contextIn(dir.at("w")),
  );
  expect(isError).toBe(true);
  expect(text).toContain("outside the folders that may be read");
});

verifies("grep:foreign-fs", "find walks a file system in memory", async () => {
  const fs = memoryFs({
    "/m/a/b.txt": "",
    "/m/a/c.log": "",
    "/m/.gitignore": "*.log",
    "/m/locked/b.txt": undefined,
  });
  expect((await runTool(findTool(), { query: "*.*" }, contextIn("/m", { fs }))).text).toBe(
    ".gitignore\na/b.txt\n\n[folders that could not be read: 1]",
  );
});
