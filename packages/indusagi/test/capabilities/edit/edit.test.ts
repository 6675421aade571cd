import { chmod, mkdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { verifies } from "@indus/testkit";
import { applyPatch } from "diff";
import { localFs } from "indusagi/capabilities";
import { expect } from "vitest";
import { nodeDisk } from "../../../src/capabilities/local/files/node-disk.ts";
import { dataOf, type Session, session, textOf } from "../session.ts";

interface Edited {
  readonly path: string;
  readonly replacements: number;
  readonly diff: string;
}

/** Writes a file, edits it, and returns its content. */
async function edited(at: Session, before: string | Buffer, input: object): Promise<string> {
  await writeFile(at.dir.at("f"), before);
  await at.text("edit", { path: "f", ...input });
  return readFile(at.dir.at("f"), "utf8");
}

verifies(
  "edit:exact-first",
  "one exact match is replaced; the result has the line, the count and a diff",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("a.ts"), "let a = 1;\nlet b = 2;\nlet c = 3;\n");
    const outcome = await at.call("edit", { path: "a.ts", oldText: "b = 2", newText: "b = 20" });
    expect(outcome.isError).toBe(false);
    expect(textOf(outcome)).toBe("edited a.ts: 1 replacement at line 2");
    expect(dataOf(outcome)).toEqual({
      path: "a.ts",
      replacements: 1,
      diff: "--- a.ts\n+++ a.ts\n@@ -1,3 +1,3 @@\n let a = 1;\n-let b = 2;\n+let b = 20;\n let c = 3;\n",
    });
  },
);

verifies("edit:exact-first", "an exact match wins over looser matches", async () => {
  await using at = await session();
  expect(await edited(at, "  x = 1\nx = 1\n", { oldText: "\nx = 1", newText: "\nx = 2" })).toBe(
    "  x = 1\nx = 2\n",
  );
});

verifies(
  "edit:not-found",
  "text that is not found is a failure that shows the closest text and its line",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("f"), "one\ntwo\nfunction compute(total) {\n  return total;\n}\n");
    const answer = await at.fails("edit", {
      path: "f",
      oldText: "function compute(sum) {\n  return sum;",
      newText: "x",
    });
    expect(answer).toBe(
      "edit: oldText is not in f; the closest text is at line 3:\nfunction compute(total) {\n  return total;",
    );
    expect(await at.fails("edit", { path: "f", oldText: "#!~", newText: "x" })).toBe(
      "edit: oldText is not in f; read the file and copy the text exactly",
    );
    expect(await at.fails("edit", { path: "g", oldText: "a", newText: "b" })).toBe(
      "edit: there is no g; did you mean f?",
    );
  },
);

verifies(
  "edit:ambiguous",
  "several matches are a failure that names their lines and changes nothing",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("f"), "x\ny\nx\nx\n");
    expect(await at.fails("edit", { path: "f", oldText: "x", newText: "z" })).toBe(
      "edit: oldText occurs 3 times in f (lines 1, 3, 4); add more lines around it so only one place matches, or set replaceAll",
    );
    await writeFile(at.dir.at("g"), "x\n".repeat(5000));
    const answer = await at.fails("edit", { path: "g", oldText: "x", newText: "z" });
    expect(answer).toContain("1000 or more times in g (lines 1, 2, 3, 4, 5, 6, 7, 8, ...)");
    expect(await readFile(at.dir.at("f"), "utf8")).toBe("x\ny\nx\nx\n");
  },
);

verifies("edit:ambiguous", "overlapping matches count as several", async () => {
  await using at = await session();
  await writeFile(at.dir.at("f"), "}\n}\n}\n");
  expect(await at.fails("edit", { path: "f", oldText: "}\n}\n", newText: "}\n" })).toContain(
    "2 times in f (lines 1, 2)",
  );
  await writeFile(at.dir.at("f"), "aaa");
  expect(await at.fails("edit", { path: "f", oldText: "aa", newText: "b" })).toContain("2 times");
});

verifies(
  "edit:replace-all",
  "replaceAll replaces every match once, from left to right, never inside replaced text",
  async () => {
    await using at = await session();
    expect(await edited(at, "a b a b a", { oldText: "a", newText: "aa", replaceAll: true })).toBe(
      "aa b aa b aa",
    );
    expect(await edited(at, "aaaaa", { oldText: "aa", newText: "b", replaceAll: "true" })).toBe("bba");
    await writeFile(at.dir.at("f"), "x x x");
    const outcome = await at.call("edit", { path: "f", oldText: "x", newText: "y", replaceAll: true });
    expect(textOf(outcome)).toBe("edited f: 3 replacements at lines 1, 1, 1");
    expect((dataOf(outcome) as Edited).replacements).toBe(3);
  },
);

verifies(
  "edit:literal",
  "the replacement is literal: dollar signs and backslashes have no special meaning",
  async () => {
    await using at = await session();
    for (const newText of ["$&", "$1", "$$", "$`", "$'", "\\n", "\\1", "$<name>"]) {
      expect(await edited(at, "one (two) three", { oldText: "(two)", newText })).toBe(`one ${newText} three`);
      expect(await edited(at, "a.b.a", { oldText: ".", newText, replaceAll: true })).toBe(
        `a${newText}b${newText}a`,
      );
      expect(await edited(at, "x\r\n(y)\r\n", { oldText: "x\n(y)", newText })).toBe(`${newText}\r\n`);
    }
  },
);

verifies(
  "edit:refuses-nothing",
  "an empty oldText, equal texts and an edit without effect are failures",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("f"), "a  \nb\n");
    expect(await at.fails("edit", { path: "f", oldText: "", newText: "x" })).toBe(
      'edit: "oldText" is empty; to create a file, use write',
    );
    expect(await at.fails("edit", { path: "f", oldText: "a", newText: "a" })).toBe(
      'edit: "oldText" and "newText" are the same',
    );
    expect(await at.fails("edit", { path: "f", oldText: "a\nb", newText: "a  \nb" })).toBe(
      "edit: f would not change: it already has newText there",
    );
  },
);

verifies("edit:bad-input", "a bad field or path is a failure that names it", async () => {
  await using at = await session();
  await mkdir(at.dir.at("folder"));
  const bad: [unknown, RegExp][] = [
    [{ oldText: "a", newText: "b" }, /"path" is missing/],
    [{ path: "f", newText: "b" }, /"oldText" is missing/],
    [{ path: "f", oldText: "a" }, /"newText" is missing/],
    [{ path: "f", oldText: 1, newText: "b" }, /"oldText" must be a string, got 1/],
    [
      { path: "f", oldText: "a", newText: "b", replaceAll: "maybe" },
      /"replaceAll" must be true or false, got "maybe"/,
    ],
    [{ path: "folder", oldText: "a", newText: "b" }, /^edit: is a directory: /],
    [{ path: "../f", oldText: "a", newText: "b" }, /^edit: outside the folders/],
  ];
  for (const [input, message] of bad) expect(await at.fails("edit", input)).toMatch(message);
});

const TOLERANT: readonly [name: string, before: string, oldText: string, newText: string, after: string][] = [
  ["line endings", "a\r\nb\r\nc", "a\nb", "x\ny", "x\r\ny\r\nc"],
  [
    "trailing white space",
    "if (a) {  \n  b();\t\n}\n",
    "if (a) {\n  b();\n}",
    "if (b) {\n}",
    "if (b) {\n}\n",
  ],
  [
    "typographic characters",
    "say \u201chello\u201d \u2014 now\n",
    'say "hello" - now',
    "say bye",
    "say bye\n",
  ],
  [
    "indentation",
    "function f() {\n    if (a) {\n        b();\n    }\n}\n",
    "if (a) {\n    b();\n}",
    "if (c) {\n    d();\n}",
    "function f() {\n    if (c) {\n        d();\n    }\n}\n",
  ],
  ["white space", "let  a =\t1;\n", "let a = 1;", "let b = 2;", "let b = 2;\n"],
];

verifies(
  "edit:tolerant",
  "each loose strategy needs exactly one match, keeps the rest, and is named",
  async () => {
    await using at = await session();
    for (const [name, before, oldText, newText, after] of TOLERANT) {
      await writeFile(at.dir.at("f"), before);
      expect(await at.text("edit", { path: "f", oldText, newText })).toContain(
        `; oldText matched only after ignoring ${name}, so check the result`,
      );
      expect(await readFile(at.dir.at("f"), "utf8")).toBe(after);
    }
  },
);

verifies(
  "edit:tolerant",
  "a loose strategy with several matches is refused, also with replaceAll",
  async () => {
    await using at = await session();
    for (const [name, before, oldText, newText] of TOLERANT.slice(1)) {
      const twice = `${before}---\n${before}`;
      await writeFile(at.dir.at("f"), twice);
      for (const replaceAll of [false, true]) {
        const answer = await at.fails("edit", { path: "f", oldText, newText, replaceAll });
        expect(answer).toMatch(
          new RegExp(`occurs 2 times in f \\(lines \\d+, \\d+\\), ignoring ${name}; add more lines`),
        );
        expect(answer).not.toContain("replaceAll");
      }
      expect(await readFile(at.dir.at("f"), "utf8")).toBe(twice);
    }
  },
);

verifies(
  "edit:line-endings",
  "inserted lines get the endings of the lines around them; all others keep theirs",
  async () => {
    await using at = await session();
    expect(await edited(at, "a\r\nb\r\nc\r\n", { oldText: "b", newText: "1\n2" })).toBe(
      "a\r\n1\r\n2\r\nc\r\n",
    );
    expect(await edited(at, "a\r\nb\nc\r\nd", { oldText: "b", newText: "1\n2" })).toBe("a\r\n1\n2\nc\r\nd");
    expect(await edited(at, "a\r\nb\nc\r\nd", { oldText: "d", newText: "1\n2" })).toBe("a\r\nb\nc\r\n1\r\n2");
    expect(await edited(at, "a\rb\rc", { oldText: "b", newText: "1\n2" })).toBe("a\r1\r2\rc");
    expect(await edited(at, "a\nb\n", { oldText: "a\r\nb", newText: "1\r\n2" })).toBe("1\n2\n");
    expect(await edited(at, "x\r\nfoo\r\n", { oldText: "\nfoo", newText: "\nbar\nbaz" })).toBe(
      "x\r\nbar\r\nbaz\r\n",
    );
    expect(await edited(at, "one", { oldText: "one", newText: "1\n2" })).toBe("1\n2");
  },
);

verifies("edit:line-endings", "line endings themselves can be changed by writing them out", async () => {
  await using at = await session();
  expect(await edited(at, "a\r\nb\r\n", { oldText: "\r\n", newText: "\n", replaceAll: true })).toBe("a\nb\n");
  expect(await edited(at, "a\nb\n", { oldText: "\n", newText: "\r\n", replaceAll: true })).toBe("a\r\nb\r\n");
  expect(await edited(at, "a\r\nb\r\n", { oldText: "\r", newText: "", replaceAll: true })).toBe("a\nb\n");
});

verifies(
  "edit:line-endings",
  "a missing newline at the end stays missing, a present one present",
  async () => {
    await using at = await session();
    expect(await edited(at, "a\nb", { oldText: "b", newText: "c" })).toBe("a\nc");
    expect(await edited(at, "a\nb\n", { oldText: "b", newText: "c" })).toBe("a\nc\n");
    expect(await edited(at, "a\nb  ", { oldText: "a\nb\t", newText: "c" })).toBe("c");
  },
);

verifies("edit:encodings", "byte order marks and UTF-16 stay, with a mark and without", async () => {
  await using at = await session();
  const big = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();
  const cases: [Buffer, Buffer][] = [
    [Buffer.from("\ufefffirst line\n"), Buffer.from("\ufeffzwölfte line\n")],
    [Buffer.from("\ufefffirst line\n", "utf16le"), Buffer.from("\ufeffzwölfte line\n", "utf16le")],
    [Buffer.from("first line\n", "utf16le"), Buffer.from("zwölfte line\n", "utf16le")],
    [big("\ufefffirst line\n"), big("\ufeffzwölfte line\n")],
    [big("first line\n"), big("zwölfte line\n")],
  ];
  for (const [before, after] of cases) {
    await writeFile(at.dir.at("f"), before);
    await at.text("edit", { path: "f", oldText: "first", newText: "zwölfte" });
    expect(await readFile(at.dir.at("f"))).toEqual(after);
  }
});

verifies(
  "edit:untouched-bytes",
  "bytes that are not valid text stay unchanged, and the diff is readable",
  async () => {
    await using at = await session();
    const [before, after] = [Buffer.from([0xff, 0xc3, 0x28, 0x0a]), Buffer.from([0x0a, 0xe9, 0x0d, 0x80])];
    await writeFile(at.dir.at("f"), Buffer.concat([before, Buffer.from("größe = 1"), after]));
    const outcome = await at.call("edit", { path: "f", oldText: "größe = 1", newText: "größe = 2" });
    expect(await readFile(at.dir.at("f"))).toEqual(Buffer.concat([before, Buffer.from("größe = 2"), after]));
    expect((dataOf(outcome) as Edited).diff).toContain("-größe = 1\n+größe = 2\n");
    expect(await at.fails("edit", { path: "f", oldText: "größer = 2", newText: "x" })).toContain("größe = 2");
  },
);

verifies("edit:keeps-mode", "mode and links do not change", async () => {
  await using at = await session();
  await writeFile(at.dir.at("run.sh"), "echo a\n");
  await chmod(at.dir.at("run.sh"), 0o755);
  await symlink("run.sh", at.dir.at("link"));
  await at.text("edit", { path: "link", oldText: "a", newText: "b" });
  expect(await readFile(at.dir.at("run.sh"), "utf8")).toBe("echo b\n");
  expect((await stat(at.dir.at("run.sh"))).mode & 0o777).toBe(0o755);
});

verifies(
  "edit:changed-meanwhile",
  "a file that changes or disappears between read and write is refused",
  async () => {
    let disturb = async (_target: string): Promise<void> => {};
    const disk = {
      ...nodeDisk,
      access: async (path: string, mode: number) => {
        await nodeDisk.access(path, mode);
        await disturb(await nodeDisk.realpath(path));
      },
    };
    await using at = await session({ fs: localFs({ disk }) });
    const disturbances: ((target: string) => Promise<void>)[] = [
      (target) => writeFile(target, "somebody else's"),
      async (target) => {
        await writeFile(`${target}.new`, "longer than before");
        await nodeDisk.rename(`${target}.new`, target);
      },
      (target) => utimes(target, 1, 1),
      (target) => nodeDisk.unlink(target),
    ];
    for (const disturbance of disturbances) {
      await writeFile(at.dir.at("f"), "mine");
      disturb = disturbance;
      expect(await at.fails("edit", { path: "f", oldText: "mine", newText: "yours" })).toMatch(
        /^edit: changed by another program meanwhile: .*\/f$/,
      );
      disturb = async () => {};
      expect(await readFile(at.dir.at("f"), "utf8").catch(() => "gone")).not.toBe("yours");
    }
  },
);

verifies("edit:diff", "applying the diff to the old text gives the new text", async () => {
  await using at = await session();
  const before = Array.from({ length: 60 }, (_, index) => `line ${index} ${index % 20}\n`).join("");
  await writeFile(at.dir.at("f"), before);
  const outcome = await at.call("edit", {
    path: "f",
    oldText: " 3\n",
    newText: " three\nand more\n",
    replaceAll: true,
  });
  const { diff, replacements } = dataOf(outcome) as Edited;
  expect(replacements).toBe(3);
  expect(diff.match(/^@@/gm)?.length).toBe(3);
  expect(applyPatch(before, diff)).toBe(await readFile(at.dir.at("f"), "utf8"));
});

verifies("edit:diff", "a diff has at most 16 KB and ends at a whole line", async () => {
  await using at = await session();
  await writeFile(
    at.dir.at("f"),
    "some words on a line that is a little longer than most lines are\n".repeat(3000),
  );
  const outcome = await at.call("edit", {
    path: "f",
    oldText: "words",
    newText: "other words",
    replaceAll: true,
  });
  const { diff } = dataOf(outcome) as Edited;
  expect(Buffer.byteLength(diff)).toBeLessThanOrEqual(16 * 1024);
  expect(diff).toMatch(/\n\[\.\.\. \d+ bytes and 2800 more changes omitted from this diff \.\.\.\]\n$/);
});

verifies(
  "edit:large",
  "a change in a large file, or many on one long line, is fast and shows its diff",
  async () => {
    await using at = await session();
    const lines = Array.from({ length: 300_000 }, (_, index) => `line number ${index}\n`).join("");
    await writeFile(at.dir.at("f"), lines);
    const started = performance.now();
    const outcome = await at.call("edit", {
      path: "f",
      oldText: "line number 250000\n",
      newText: "changed\n",
    });
    expect((dataOf(outcome) as Edited).diff).toContain("@@ -249998,7 +249998,7 @@");
    expect(await at.fails("edit", { path: "f", oldText: "line  number 17x\n", newText: "" })).toContain(
      "closest text is at line",
    );
    await writeFile(at.dir.at("g"), "var x=1;".repeat(200_000));
    expect(
      await at.text("edit", { path: "g", oldText: "var", newText: "let\n", replaceAll: true }),
    ).toContain("200000 replacements");
    expect(performance.now() - started).toBeLessThan(20_000);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "edit:large",
  "a file too large to rewrite is refused with its size, whatever else is wrong",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("f"), "x");
    await nodeDisk.open(at.dir.at("f"), 1).then(async (handle) => {
      await (handle as unknown as { truncate(size: number): Promise<void> }).truncate(200_000_000);
      await handle.close();
    });
    expect(await at.fails("edit", { path: "f", oldText: "x", newText: "y" })).toBe(
      "edit: f has 200.0 MB, more than the 134.2 MB this tool can rewrite; use a shell command",
    );
  },
);

verifies(
  "edit:serialised",
  "parallel edits of one file, by its name, by an alias and in two sessions, are all kept",
  async () => {
    await using at = await session();
    await using dir = await import("../session.ts").then(({ sessionIn }) => sessionIn(at.dir));
    const marks = Array.from({ length: 50 }, (_, index) => `<${index}>`);
    await writeFile(at.dir.at("f"), marks.join("\n"));
    await symlink("f", at.dir.at("alias"));
    const outcomes = await Promise.all(
      marks.map((mark, index) =>
        (index % 3 === 0 ? dir : at).call("edit", {
          path: index % 2 === 0 ? "f" : "alias",
          oldText: mark,
          newText: mark.replace("<", "[").replace(">", "]"),
        }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.isError)).toEqual([]);
    expect(await readFile(at.dir.at("f"), "utf8")).toBe(marks.map((_, index) => `[${index}]`).join("\n"));
  },
);

verifies(
  "edit:serialised",
  "parallel writes of one new file leave the complete content of one of them",
  async () => {
    await using at = await session();
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(1000));
    const outcomes = await Promise.all(
      contents.map((content) => at.call("write", { path: "new/f", content })),
    );
    expect(outcomes.every((outcome) => !outcome.isError)).toBe(true);
    expect(await readFile(at.dir.at("new/f"), "utf8")).toBe(contents.at(-1));
  },
);

verifies("edit:serialised", "a failed or aborted edit does not block the next one", async () => {
  await using at = await session();
  await writeFile(at.dir.at("f"), "a");
  const abort = new AbortController();
  const running = [
    at.call("edit", { path: "f", oldText: "missing", newText: "x" }),
    at.call("edit", { path: "f", oldText: "a", newText: "aborted" }, abort.signal),
    at.call("edit", { path: "f", oldText: "a", newText: "b" }),
  ];
  abort.abort();
  expect((await Promise.all(running)).map((outcome) => outcome.isError)).toEqual([true, true, false]);
  expect(await readFile(at.dir.at("f"), "utf8")).toBe("b");
});

verifies("edit:serialised", "calls of one turn for one path run in the order they were made", async () => {
  await using at = await session();
  for (let round = 0; round < 10; round++) {
    const outcomes = await Promise.all([
      at.call("write", { path: "f", content: "one" }),
      at.call("edit", { path: "f", oldText: "one", newText: "two" }),
      at.call("edit", { path: "f", oldText: "two", newText: "three" }),
    ]);
    expect(outcomes.map((outcome) => outcome.isError)).toEqual([false, false, false]);
    expect(await readFile(at.dir.at("f"), "utf8")).toBe("three");
  }
});
