import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { grepTool } from "indusagi/capabilities";
import { describe, expect } from "vitest";
import { contextIn, memoryFs, runTool, writeTree } from "./fixture.ts";

const engines = [
  ["ripgrep", grepTool()],
  ["fallback", grepTool({ ripgrepPath: false })],
] as const;

describe.each(engines)("with %s", (_name, grep) => {
  verifies("grep:output", "hits are lines of path:line: text, sorted by path and line", async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, {
      "b.txt": "one\nneedle b1\nneedle b2",
      "a/z.txt": "needle z\r\n",
      "a.txt": "needle a\n",
      "a/b/deep.txt": "x\n\n\n  needle deep\n",
      ".hidden": "needle hidden\n",
      "other.txt": "nothing\n",
    });
    const { text, isError } = await runTool(grep, { pattern: "needle" }, contextIn(dir.path));
    expect(isError).toBe(false);
    expect(text.split("\n")).toEqual([
      ".hidden:1: needle hidden",
      "a/b/deep.txt:4:   needle deep",
      "a/z.txt:1: needle z",
      "a.txt:1: needle a",
      "b.txt:2: needle b1",
      "b.txt:3: needle b2",
    ]);
  });

  verifies(
    "grep:output",
    "the path may be a folder or one file, and the paths of hits can be passed to read",
    async () => {
      await using dir = await tempDir();
      await writeTree(dir.path, {
        "w/a/x.txt": "needle\n",
        "w/b.txt": "needle\n",
        "outside.txt": "needle\n",
      });
      const ctx = contextIn(dir.at("w"), { read: [dir.path] });
      expect(await runTool(grep, { pattern: "needle", path: "a" }, ctx)).toMatchObject({
        text: "a/x.txt:1: needle",
      });
      expect(await runTool(grep, { pattern: "needle", path: "a/x.txt" }, ctx)).toMatchObject({
        text: "a/x.txt:1: needle",
      });
      expect(await runTool(grep, { pattern: "needle", path: "../outside.txt" }, ctx)).toMatchObject({
        text: `${dir.at("outside.txt")}:1: needle`,
      });
      expect(await runTool(grep, { pattern: "nowhere" }, ctx)).toEqual({
        text: 'No matches for "nowhere" in the working folder.',
        isError: false,
      });
      const missing = await runTool(grep, { pattern: "x", path: "nope" }, ctx);
      expect(missing.isError).toBe(true);
      expect(missing.text).toContain("nope");
    },
  );

  verifies("grep:flags", "i ignores case, F means plain text, w means whole words", async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "a.txt": "Foo.bar\nfoo\nfoobar\nÉté\n" });
    const ctx = contextIn(dir.path);
    const lines = async (pattern: string, flags: string): Promise<string[]> =>
      (await runTool(grep, { pattern, flags }, ctx)).text
        .split("\n")
        .map((line) => line.slice("a.txt:1: ".length));
    expect(await lines("FOO", "i")).toEqual(["Foo.bar", "foo", "foobar"]);
    expect(await lines("o.b", "F")).toEqual(["Foo.bar"]);
    expect(await lines("foo", "w")).toEqual(["foo"]);
    expect(await lines("foo", "-iw")).toEqual(["Foo.bar", "foo"]);
    expect(await lines("éTÉ", "i")).toEqual(["Été"]);
    expect(await lines("(?i)été", "")).toEqual(["Été"]);

    const unknown = await runTool(grep, { pattern: "foo", flags: "ix" }, ctx);
    expect(unknown.isError).toBe(true);
    expect(unknown.text).toMatch(/unknown flag "x"; known: i \(.*\), F \(.*\), w \(.*\)/);
  });

  verifies("grep:cap", "hits beyond the cap are counted, and the message names what to do", async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "a.txt": "hit\n".repeat(300), "b.txt": "hit\n".repeat(6000) });
    const ctx = contextIn(dir.path, { budget: { kind: "head", maxBytes: 10_000_000 } });
    const shown = async (cap?: unknown): Promise<readonly [number, string | undefined]> => {
      const lines = (await runTool(grep, { pattern: "hit", cap }, ctx)).text.split("\n");
      return [lines.filter((line) => line.endsWith(": hit")).length, lines.at(-1)];
    };
    const notice = (count: string): string =>
      `[showing ${count} of 6,300 hits; narrow the pattern or the path, or raise cap (at most 5000)]`;
    expect(await shown()).toEqual([200, notice("200")]);
    expect(await shown("3")).toEqual([3, notice("3")]);
    expect(await shown(99_999)).toEqual([5000, notice("5,000")]);
    expect((await runTool(grep, { pattern: "hit", cap: 0 }, ctx)).isError).toBe(true);
  });

  verifies("grep:cap", "beyond the counting limit the first hits are still the right ones", async () => {
    await using dir = await tempDir();
    const tree = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`d${at % 7}/f${at}.txt`, "hit\n".repeat(600)]),
    );
    await writeTree(dir.path, tree);
    const { text } = await runTool(grep, { pattern: "hit", cap: 2 }, contextIn(dir.path));
    expect(text).toBe(
      "d0/f0.txt:1: hit\nd0/f0.txt:2: hit\n\n" +
        "[showing 2 of more than 20,000 hits; narrow the pattern or the path, or raise cap (at most 5000)]",
    );
  });

  verifies("grep:budget", "a result larger than the budget ends at a whole line", async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "a.txt": "0123456789 hit\n".repeat(100) });
    const { text } = await runTool(
      grep,
      { pattern: "hit" },
      contextIn(dir.path, { budget: { kind: "middle", maxBytes: 1000 } }),
    );
    const lines = text.split("\n");
    expect(lines.slice(0, -2).every((line) => line.endsWith("0123456789 hit"))).toBe(true);
    expect(lines.at(-1)).toMatch(/^\[showing \d\d of 100 hits;/);
    expect(Buffer.byteLength(lines.slice(0, -2).join("\n"))).toBeLessThanOrEqual(1000);
  });

  verifies("grep:bad-pattern", "an error names the pattern and the reason", async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "a.txt": "foo(\n" });
    const ctx = contextIn(dir.path);
    for (const pattern of ["foo(", "[", "*", "a{2,1}", "(?P<", "\\"]) {
      const { text, isError } = await runTool(grep, { pattern }, ctx);
      expect({ pattern, isError }).toEqual({ pattern, isError: true });
      expect(text).toContain(`the pattern "${pattern}" is not a valid expression: `);
      expect(text).toContain("flag F");
    }
    for (const pattern of ["a\nb", "a\\nb", "a\0b"]) {
      const { text, isError } = await runTool(grep, { pattern }, ctx);
      expect({ pattern, isError }).toEqual({ pattern, isError: true });
      expect(text).toMatch(/line break|NUL/);
    }
    expect((await runTool(grep, { pattern: "" }, ctx)).isError).toBe(true);
    expect((await runTool(grep, {}, ctx)).text).toContain('"pattern" is missing');
  });

  verifies("grep:only-one-dialect", "look-around and back-references work", async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "a.txt": "foobar\nfoobaz\nfoo\nbar foo bar\n" });
    const ctx = contextIn(dir.path);
    expect((await runTool(grep, { pattern: "foo(?=bar)" }, ctx)).text).toBe("a.txt:1: foobar");
    expect((await runTool(grep, { pattern: "foo(?!b)" }, ctx)).text).toBe(
      "a.txt:3: foo\na.txt:4: bar foo bar",
    );
    expect((await runTool(grep, { pattern: "(bar).*\\1" }, ctx)).text).toBe("a.txt:4: bar foo bar");
  });

  verifies(
    "grep:leaves-out",
    "ignored names, tool folders, binaries and large files are not searched",
    async () => {
      await using dir = await tempDir();
      await writeTree(dir.path, {
        ".git/config": "needle",
        "node_modules/x/index.js": "needle",
        "sub/node_modules/y.js": "needle",
        ".gitignore": "*.log\n/out/\n!keep.log\n",
        "a.log": "needle",
        "keep.log": "needle",
        "out/a.txt": "needle",
        "sub/out/a.txt": "needle",
        "sub/.gitignore": "!a.log\nsecret\n",
        "sub/a.log": "needle",
        "sub/secret": "needle",
        "binary.bin": "needle\0",
        "late.bin": `needle\n${"x".repeat(5000)}\0`,
        "large.txt": `needle${"x".repeat(2 * 1024 * 1024)}`,
      });
      await symlink(dir.at("keep.log"), dir.at("link.txt"));
      await symlink(dir.path, dir.at("sub", "loop"));
      const { text } = await runTool(grep, { pattern: "needle" }, contextIn(dir.path));
      expect(text.split("\n")).toEqual([
        "keep.log:1: needle",
        "late.bin:1: needle",
        "sub/a.log:1: needle",
        "sub/out/a.txt:1: needle",
        "",
        "[files over 2 MiB, not searched: 1]",
      ]);
      expect(
        await runTool(grep, { pattern: "needle", path: "large.txt" }, contextIn(dir.path)),
      ).toMatchObject({
        isError: true,
        text: expect.stringContaining("large.txt is over 2 MiB") as string,
      });
      expect(await runTool(grep, { pattern: "needle", path: "binary.bin" }, contextIn(dir.path))).toEqual({
        isError: true,
        text: "grep: binary.bin is a binary file, so it was not searched",
      });
    },
  );

  verifies(
    "grep:rules-above",
    "rules of the working folder and of folders below it apply, those above do not",
    async () => {
      await using dir = await tempDir();
      await writeTree(dir.path, {
        ".gitignore": "*",
        "w/.gitignore": "*.gen\n/p/a/anchored\n/anchored2\ndist\n",
        "w/p/.gitignore": "/a/mid\n!take-back.gen\n",
        "w/p/a/x.txt": "needle",
        "w/p/a/x.gen": "needle",
        "w/p/a/take-back.gen": "needle",
        "w/p/a/anchored": "needle",
        "w/p/a/anchored2": "needle",
        "w/p/a/mid": "needle",
        "w/q/x.gen": "needle",
        "w/q/y.txt": "needle",
        "w/q/dist/z.txt": "needle",
      });
      const ctx = contextIn(dir.at("w"));
      expect((await runTool(grep, { pattern: "needle", path: "p/a" }, ctx)).text.split("\n")).toEqual([
        "p/a/anchored2:1: needle",
        "p/a/take-back.gen:1: needle",
        "p/a/x.txt:1: needle",
      ]);
      expect((await runTool(grep, { pattern: "needle", path: "q" }, ctx)).text).toBe("q/y.txt:1: needle");
      // An ignored folder is searched if it is named.
      expect((await runTool(grep, { pattern: "needle", path: "q/dist" }, ctx)).text).toBe(
        "q/dist/z.txt:1: needle",
      );
    },
  );

  verifies("grep:long-line", "a long line is cut at 500 characters, never inside one", async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, {
      "1.txt": `hit${"x".repeat(497)}`,
      "2.txt": `hit${"x".repeat(498)}`,
      "3.txt": `hit${"x".repeat(496)}😀😀`,
      "4.txt": `hit${"漢".repeat(5000)}`,
      "5.txt": `hit${"y".repeat(1_000_000)}`,
    });
    const { text } = await runTool(grep, { pattern: "hit" }, contextIn(dir.path));
    const cut = " [... line cut after 500 characters]";
    expect(text.split("\n").map((line) => line.slice("1.txt:1: ".length))).toEqual([
      `hit${"x".repeat(497)}`,
      `hit${"x".repeat(497)}${cut}`,
      `hit${"x".repeat(496)}${cut}`,
      `hit${"漢".repeat(497)}${cut}`,
      `hit${"y".repeat(497)}${cut}`,
    ]);
  });

  verifies(
    "grep:strange-names",
    "line feeds, colons, escapes and invalid bytes in names and lines are escaped",
    async () => {
      await using dir = await tempDir();
      await writeTree(dir.path, {
        "a\nb": "hit \x1b[2J\u202e!",
        "c:1: fake": "hit",
        "-e": "hit",
        "\x1b[31m": "hit",
        "broken line": Buffer.from([0x68, 0x69, 0x74, 0xff, 0xc3]),
      });
      await writeFile(Buffer.from([...Buffer.from(`${dir.path}/`), 0x66, 0xff, 0xfe]), "hit");
      await mkdir(dir.at("(dir) [x]"));
      await writeFile(dir.at("(dir) [x]", "é.txt"), "hit");
      const { text } = await runTool(grep, { pattern: "hit" }, contextIn(dir.path));
      expect(text.split("\n")).toEqual([
        "\\x1b[31m:1: hit",
        "(dir) [x]/é.txt:1: hit",
        "-e:1: hit",
        "a\\x0ab:1: hit \\x1b[2J\\u{202e}!",
        "broken line:1: hit\\xff\\xc3",
        "c:1: fake:1: hit",
        "f\\xff\\xfe:1: hit",
      ]);
      expect((await runTool(grep, { pattern: "hit", path: "(dir) [x]" }, contextIn(dir.path))).text).toBe(
        "(dir) [x]/é.txt:1: hit",
      );
    },
    { only: ["linux"] },
  );

  verifies("grep:confined", "a path outside, also through a link, is refused", async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "secret/key": "needle", "w/x.txt": "needle" });
    await symlink(dir.at("secret"), dir.at("w", "door"));
    const ctx = contextIn(dir.at("w"));
    for (const path of ["..", "../secret", "door", dir.at("secret", "key")]) {
      const { text, isError } = await runTool(grep, { pattern: "needle", path }, ctx);
      expect({ path, isError }).toEqual({ path, isError: true });
      expect(text).toContain("outside the folders that may be read");
    }
    expect((await runTool(grep, { pattern: "needle" }, ctx)).text).toBe("x.txt:1: needle");
  });
});

verifies(
  "grep:no-ripgrep",
  "if ripgrep cannot start, fails or is another program, the fallback is used",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "w/a.txt": "needle\n", "bin/rg": "#!/bin/sh\nexit 2\n" });
    await chmod(dir.at("bin", "rg"), 0o755);
    for (const ripgrepPath of [dir.at("missing"), dir.at("w"), dir.at("bin", "rg")]) {
      const { text } = await runTool(
        grepTool({ ripgrepPath }),
        { pattern: "needle" },
        contextIn(dir.at("w")),
      );
      expect({ ripgrepPath, text }).toEqual({ ripgrepPath, text: "a.txt:1: needle" });
    }
  },
);

verifies(
  "grep:foreign-fs",
  "a file system in memory is searched with the same rules and the same messages",
  async () => {
    await using dir = await tempDir();
    await writeTree(dir.path, { "real.txt": "needle" });
    const fs = memoryFs({
      [dir.at("a", "é.txt")]: "x\nneedle\n",
      [dir.at("a", "b.log")]: "needle",
      [dir.at(".gitignore")]: "*.log",
      [dir.at("bin")]: "needle\0",
      [dir.at("large.txt")]: "needle".repeat(400_000),
      [dir.at("node_modules", "x.js")]: "needle",
      [dir.at("locked", "x.js")]: undefined,
    });
    const ctx = contextIn(dir.path, { fs });
    expect((await runTool(grepTool(), { pattern: "needle" }, ctx)).text.split("\n")).toEqual([
      "a/é.txt:2: needle",
      "",
      "[files over 2 MiB, not searched: 1]",
      "[files or folders that could not be read: 1]",
    ]);
    expect((await runTool(grepTool(), { pattern: "n+e", path: "a" }, ctx)).text).toBe("a/é.txt:2: needle");
  },
);
