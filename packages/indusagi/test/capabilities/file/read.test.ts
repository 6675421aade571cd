import { mkdir, writeFile } from "node:fs/promises";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { session } from "../session.ts";

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

verifies("read:window", "lines are shown after a six-digit number and a tab", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a.txt"), "one\n\n  three\n");
  expect(await at.text("read", { path: "a.txt" })).toBe(
    "a.txt: lines 1-3 of 3\n     1\tone\n     2\t\n     3\t  three",
  );
});

verifies(
  "read:window",
  "offset and limit select the lines, and the header has the number of lines left",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("a.txt"), numbered(100));
    expect(await at.text("read", { path: "a.txt", offset: 11, limit: 2 })).toBe(
      "a.txt: lines 11-12 of 100 (88 more; continue with offset=13)\n    11\tline 11\n    12\tline 12",
    );
    expect(await at.text("read", { path: "a.txt", offset: 100, limit: 50 })).toBe(
      "a.txt: lines 100-100 of 100\n   100\tline 100",
    );
  },
);

verifies("read:window", "without a limit 2,000 lines are shown", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a.txt"), numbered(2500));
  const answer = await at.text("read", { path: "a.txt" });
  expect(answer.split("\n")[0]).toBe("a.txt: lines 1-2000 of 2500 (500 more; continue with offset=2001)");
  expect(answer.split("\n")).toHaveLength(2001);
});

verifies(
  "read:window",
  "an answer stops at the context's budget, line numbers included, and the header notes it",
  async () => {
    await using at = await session({ budget: { kind: "middle", maxBytes: 1000 } });
    await writeFile(at.dir.at("a.txt"), numbered(500));
    const [header = "", ...lines] = (await at.text("read", { path: "a.txt" })).split("\n");
    expect(header).toMatch(
      /^a\.txt: lines 1-(\d+) of 500 \(\d+ more; continue with offset=\d+; stopped at the size limit\)$/,
    );
    expect(Buffer.byteLength(lines.join("\n"))).toBeLessThanOrEqual(1000);
    expect(lines.length).toBeGreaterThan(50);
  },
);

verifies(
  "read:empty",
  "an empty file is reported as empty, also one with only a byte order mark",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("a.txt"), "");
    await writeFile(at.dir.at("b.txt"), "\ufeff");
    expect(await at.text("read", { path: "a.txt" })).toBe("a.txt is empty (0 bytes)");
    expect(await at.text("read", { path: "a.txt", offset: 7 })).toBe("a.txt is empty (0 bytes)");
    expect(await at.text("read", { path: "b.txt" })).toBe("b.txt is empty except for its byte order mark");
  },
);

verifies("read:past-end", "an offset past the end is a failure that names the number of lines", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a.txt"), "one\ntwo");
  await writeFile(at.dir.at("b.txt"), "one");
  expect(await at.fails("read", { path: "a.txt", offset: 3 })).toBe(
    "read: a.txt has 2 lines; offset 3 is past its end",
  );
  expect(await at.fails("read", { path: "b.txt", offset: 9 })).toContain("has 1 line;");
});

verifies(
  "read:line-endings",
  "a last line without newline counts, and CRLF or mixed endings are named",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("none.txt"), "one\ntwo");
    await writeFile(at.dir.at("crlf.txt"), "one\r\ntwo\r\n");
    await writeFile(at.dir.at("mixed.txt"), "one\r\ntwo\nthree");
    await writeFile(at.dir.at("cr.txt"), "one\rtwo\r");
    expect(await at.text("read", { path: "none.txt" })).toBe(
      "none.txt: lines 1-2 of 2\n     1\tone\n     2\ttwo",
    );
    expect(await at.text("read", { path: "crlf.txt" })).toBe(
      "crlf.txt: lines 1-2 of 2 (CRLF line endings)\n     1\tone\n     2\ttwo",
    );
    expect(await at.text("read", { path: "mixed.txt" })).toContain(
      "of 3 (mixed line endings)\n     1\tone\n",
    );
    expect(await at.text("read", { path: "cr.txt" })).toBe("cr.txt: lines 1-1 of 1\n     1\tone\rtwo\r");
  },
);

verifies(
  "read:long-line",
  "a long line is cut with a notice of its size, never inside a character",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("a.txt"), `${"x".repeat(1999)}\u{1f600}${"y".repeat(5000)}\nshort\n`);
    const [, first = "", second] = (await at.text("read", { path: "a.txt" })).split("\n");
    expect(first).toBe(`     1\t${"x".repeat(1999)}... [line cut here; it has 7003 bytes]`);
    expect(second).toBe("     2\tshort");
    await writeFile(at.dir.at("b.txt"), "x".repeat(2000));
    expect(await at.text("read", { path: "b.txt" })).toBe(
      `b.txt: lines 1-1 of 1\n     1\t${"x".repeat(2000)}`,
    );
  },
);

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

verifies(
  "read:encodings",
  "UTF-16 of either order, with and without a mark, and UTF-8 with a mark are text",
  async () => {
    await using at = await session();
    const text = "first line\r\nzweite Zeile: äöü\r\n";
    const files: [string, Buffer, string][] = [
      ["le-bom", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]), "UTF-16LE"],
      ["be-bom", Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be(text)]), "UTF-16BE"],
      ["le", Buffer.from(text, "utf16le"), "UTF-16LE"],
      ["be", utf16be(text), "UTF-16BE"],
      ["utf8-bom", Buffer.from(`\ufeff${text}`), ""],
    ];
    for (const [name, bytes, encoding] of files) {
      await writeFile(at.dir.at(name), bytes);
      const facts = ["CRLF line endings", ...(encoding ? [encoding] : [])].join("; ");
      expect(await at.text("read", { path: name })).toBe(
        `${name}: lines 1-2 of 2 (${facts})\n     1\tfirst line\n     2\tzweite Zeile: äöü`,
      );
    }
  },
);

verifies("read:encodings", "UTF-16 text longer than one chunk is not cut inside a character", async () => {
  await using at = await session();
  const line = `${"ab\u{1f600}".repeat(100)}\n`;
  await writeFile(at.dir.at("a"), Buffer.from(`\ufeff${line.repeat(400)}`, "utf16le"));
  const answer = await at.text("read", { path: "a", offset: 150, limit: 3 });
  expect(answer.split("\n")[1]).toBe(`   150\t${line.trimEnd()}`);
});

verifies("read:invalid-utf8", "bytes that are not UTF-8 are replaced and the header notes it", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a.txt"), Buffer.from([0x61, 0xff, 0x62, 0x0a]));
  await writeFile(at.dir.at("b.txt"), "a real \ufffd in good UTF-8\n");
  expect(await at.text("read", { path: "a.txt" })).toBe(
    "a.txt: lines 1-1 of 1 (bytes that are not UTF-8 are shown as \ufffd)\n     1\ta\ufffdb",
  );
  expect(await at.text("read", { path: "b.txt" })).toBe(
    "b.txt: lines 1-1 of 1\n     1\ta real \ufffd in good UTF-8",
  );
});

verifies("read:binary", "a binary file is refused and its format named, whatever its file name", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a.txt"), Buffer.from([1, 0, 2, 0, 3, 200, 201]));
  await writeFile(at.dir.at("b.txt"), Buffer.concat([Buffer.from("\x7fELF"), Buffer.alloc(100)]));
  await writeFile(at.dir.at("c.txt"), "%PDF-1.7\n...");
  expect(await at.fails("read", { path: "a.txt" })).toBe(
    "read: a.txt is a binary file (7 bytes); read shows only text and images",
  );
  expect(await at.fails("read", { path: "b.txt" })).toContain("is an ELF program");
  expect(await at.fails("read", { path: "c.txt" })).toContain("is a PDF document");
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

verifies("read:images", "an image is detected by its first bytes and returned as image content", async () => {
  await using at = await session();
  await writeFile(at.dir.at("picture.txt"), PNG);
  const outcome = await at.call("read", { path: "picture.txt" });
  expect(outcome.isError).toBe(false);
  expect(outcome.result.content).toEqual([
    { kind: "text", text: `picture.txt: image/png, ${PNG.length} bytes` },
    {
      kind: "json",
      mcp: true,
      value: { type: "image", mimeType: "image/png", data: PNG.toString("base64") },
    },
  ]);
});

verifies("read:images", "JPEG, GIF and WebP are images; a text that names them is not", async () => {
  await using at = await session();
  const images: [string, Buffer, string][] = [
    ["a", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), "image/jpeg"],
    ["b", Buffer.from("GIF89a\x01\0\x01\0\0\0\0;", "latin1"), "image/gif"],
    ["c", Buffer.from("RIFF\x1a\0\0\0WEBPVP8L", "latin1"), "image/webp"],
  ];
  for (const [name, bytes, mimeType] of images) {
    await writeFile(at.dir.at(name), bytes);
    expect((await at.call("read", { path: name })).result.content[1]).toMatchObject({
      value: { type: "image", mimeType },
    });
  }
  await writeFile(at.dir.at("notes"), "Convert WEBP to PNG\n");
  await writeFile(at.dir.at("gif"), "GIF89a is an old format\n");
  expect(await at.text("read", { path: "notes" })).toContain("Convert WEBP");
  expect(await at.text("read", { path: "gif" })).toContain("old format");
});

verifies("read:image-too-large", "an image too large to show is a failure with its size", async () => {
  await using at = await session();
  await writeFile(at.dir.at("big.png"), Buffer.concat([PNG, Buffer.alloc(6_000_000)]));
  expect(await at.fails("read", { path: "big.png" })).toMatch(
    /big\.png is an image of 6\.0 MB, more than the 5\.2 MB/,
  );
});

verifies("read:directory", "a directory is refused and ls suggested", async () => {
  await using at = await session();
  await mkdir(at.dir.at("src"));
  expect(await at.fails("read", { path: "src" })).toBe("read: src is a directory; use ls to list it");
});

verifies(
  "read:did-you-mean",
  "the error for a missing path suggests up to three similar names that exist",
  async () => {
    await using at = await session();
    for (const name of ["config.ts", "config.test.ts", "confing.ts", "README.md"])
      await writeFile(at.dir.at(name), "");
    expect(await at.fails("read", { path: "confg.ts" })).toBe(
      "read: there is no confg.ts; did you mean config.ts or confing.ts?",
    );
    expect(await at.fails("read", { path: "readme.MD" })).toContain("did you mean README.md?");
    expect(await at.fails("read", { path: "config" })).toContain("did you mean config.test.ts or config.ts?");
    expect(await at.fails("read", { path: "nowhere/x" })).toBe("read: there is no nowhere/x");
    expect(await at.fails("read", { path: "quite-something-else" })).toBe(
      "read: there is no quite-something-else",
    );
  },
);

verifies("read:did-you-mean", "control characters in a suggested name are escaped", async () => {
  await using at = await session();
  await writeFile(at.dir.at("an-evil\x1b[mname"), "");
  const answer = await at.fails("read", { path: "an-evilname" });
  expect(answer).toContain("did you mean an-evil\\x1b[mname?");
  expect(answer).not.toContain("\x1b");
});

verifies(
  "read:path-spellings",
  "a leading @, the other Unicode form and a home path are resolved",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("plain.txt"), "plain");
    await writeFile(at.dir.at("cafe\u0301.txt"), "decomposed");
    await writeFile(at.dir.at("nai\u0308ve.txt".normalize("NFC")), "composed");
    await writeFile(at.dir.at("at 9.41\u202fAM.txt"), "narrow");
    await writeFile(at.dir.at("it\u2019s.txt"), "curly");
    expect(await at.text("read", { path: "@plain.txt" })).toBe("plain.txt: lines 1-1 of 1\n     1\tplain");
    expect(await at.text("read", { path: "caf\u00e9.txt" })).toContain("decomposed");
    expect(await at.text("read", { path: "nai\u0308ve.txt" })).toContain("composed");
    expect(await at.text("read", { path: "at 9.41 AM.txt" })).toContain("narrow");
    expect(await at.text("read", { path: "it's.txt" })).toContain("curly");
    expect(await at.text("read", { path: at.dir.at("plain.txt") })).toContain("plain.txt: lines");
  },
);

verifies(
  "read:path-spellings",
  "a file whose name starts with @ is found before the one without",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("@a"), "with");
    await writeFile(at.dir.at("a"), "without");
    expect(await at.text("read", { path: "@a" })).toContain("with");
  },
);

verifies(
  "read:bad-input",
  "numbers sent as text are coerced; other mismatches name their field",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("a.txt"), numbered(9));
    for (const five of ["5", " 5 ", "+5", 5]) {
      expect(await at.text("read", { path: "a.txt", offset: five, limit: "1" })).toContain("lines 5-5 of 9");
    }
    expect(await at.text("read", '{"path":"a.txt"}')).toContain("lines 1-9 of 9");
    const bad: [unknown, RegExp][] = [
      [{}, /^read: "path" is missing$/],
      [null, /"path" is missing/],
      [{ path: 7 }, /"path" must be a string, got 7/],
      [{ path: "" }, /"path" must not be empty/],
      [{ path: "a.txt", offset: "five" }, /"offset" must be a whole number, got "five"/],
      [{ path: "a.txt", offset: 0 }, /"offset" must be at least 1, got 0/],
      [{ path: "a.txt", offset: 1.5 }, /"offset" must be a whole number, got 1.5/],
      [{ path: "a.txt", limit: [] }, /"limit" must be a whole number, got an array/],
      ["a.txt", /arguments must be an object/],
    ];
    for (const [input, message] of bad) expect(await at.fails("read", input)).toMatch(message);
  },
);

verifies("read:abort", "an aborted call ends at once, before it starts and during a long scan", async () => {
  await using at = await session();
  await writeFile(at.dir.at("a.txt"), "x\n".repeat(4_000_000));
  const before = await at.call("read", { path: "a.txt" }, AbortSignal.abort());
  expect(before).toMatchObject({ isError: true, fault: { reason: "aborted", retrySafe: true } });
  const abort = new AbortController();
  const running = at.call("read", { path: "a.txt", offset: 3_999_999 }, abort.signal);
  setImmediate(() => abort.abort());
  expect(await running).toMatchObject({ isError: true, fault: { reason: "aborted" } });
});
