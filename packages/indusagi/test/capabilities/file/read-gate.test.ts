import { readFile, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { verifies } from "@indus/testkit";
import { createReadState, MODIFIED_SINCE_READ, NOT_READ_YET } from "indusagi/capabilities";
import { expect } from "vitest";
import { session, sessionIn } from "../session.ts";

const change = { path: "f", oldText: "old", newText: "new" };

verifies("gate:not-read", "a file that this session has not read is not changed", async () => {
  await using at = await session({ readState: createReadState() });
  await writeFile(at.dir.at("f"), "old");
  expect(await at.fails("edit", change)).toBe(`edit: f ${NOT_READ_YET}`);
  expect(await at.fails("write", { path: "f", content: "new" })).toBe(`write: f ${NOT_READ_YET}`);
  expect(await readFile(at.dir.at("f"), "utf8")).toBe("old");
  await at.text("read", { path: "f" });
  await at.text("edit", change);
  expect(await readFile(at.dir.at("f"), "utf8")).toBe("new");
});

verifies(
  "gate:not-read",
  "without a read state there is no gate, and two sessions do not share one",
  async () => {
    await using at = await session();
    await writeFile(at.dir.at("f"), "old old");
    await at.text("edit", { ...change, replaceAll: true });
    const [one, two] = [createReadState(), createReadState()].map((readState) =>
      sessionIn(at.dir, { readState }),
    );
    await one?.text("read", { path: "f" });
    expect(await two?.fails("write", { path: "f", content: "x" })).toContain(NOT_READ_YET);
    await one?.text("write", { path: "f", content: "x" });
  },
);

verifies(
  "gate:not-read",
  "a new file need not be read first, nor an alias of a file that was read",
  async () => {
    await using at = await session({ readState: createReadState() });
    await at.text("write", { path: "new", content: "old" });
    await at.text("edit", { ...change, path: "new" });
    await writeFile(at.dir.at("f"), "old");
    await symlink("f", at.dir.at("alias"));
    await at.text("read", { path: "alias" });
    await at.text("edit", change);
  },
);

verifies(
  "gate:modified",
  "a file that changed after it was read must be read again before a change",
  async () => {
    await using at = await session({ readState: createReadState() });
    await writeFile(at.dir.at("f"), "old");
    await at.text("read", { path: "f" });
    await writeFile(at.dir.at("f"), "old, but longer");
    expect(await at.fails("edit", change)).toBe(`edit: f ${MODIFIED_SINCE_READ}`);
    expect(await at.fails("write", { path: "f", content: "x" })).toBe(`write: f ${MODIFIED_SINCE_READ}`);
    await at.text("read", { path: "f" });
    await at.text("edit", change);
    expect(await readFile(at.dir.at("f"), "utf8")).toBe("new, but longer");
  },
);

verifies(
  "gate:by-content",
  "a touched file counts as unchanged; other content of the same size and time does not",
  async () => {
    await using at = await session({ readState: createReadState() });
    await writeFile(at.dir.at("f"), "old 1");
    await at.text("read", { path: "f" });
    const before = await stat(at.dir.at("f"));
    await utimes(at.dir.at("f"), 1, 1);
    await at.text("edit", { path: "f", oldText: "1", newText: "2" });
    await writeFile(at.dir.at("f"), "old 3");
    await utimes(at.dir.at("f"), before.atime, before.mtime);
    expect(await at.fails("edit", change)).toContain(MODIFIED_SINCE_READ);
  },
);

verifies(
  "gate:by-content",
  "write and edit update the record, so that the next change is allowed",
  async () => {
    await using at = await session({ readState: createReadState() });
    await at.text("write", { path: "f", content: "old 1" });
    await at.text("edit", { path: "f", oldText: "1", newText: "2" });
    await at.text("write", { path: "f", content: "old 3" });
    await at.text("edit", change);
    expect(await readFile(at.dir.at("f"), "utf8")).toBe("new 3");
  },
);

verifies("gate:by-content", "a file too large to hash is compared by time and size", async () => {
  await using at = await session({ readState: createReadState() });
  await writeFile(at.dir.at("f"), "old\n".repeat(2000));
  await truncate(at.dir.at("f"), 9_000_000);
  await at.text("read", { path: "f", limit: 1 });
  const record = { path: "f", oldText: "old\n\0", newText: "new\n\0" };
  await at.text("edit", record);
  await utimes(at.dir.at("f"), 1, 1);
  await at.text("edit", { ...record, oldText: "new\n\0", newText: "old\n\0" });
  await at.text("read", { path: "f", limit: 1 });
  await utimes(at.dir.at("f"), 1, 1);
  expect(await at.fails("edit", record)).toContain(MODIFIED_SINCE_READ);
});

verifies("gate:not-read", "an image counts as read once it was shown", async () => {
  await using at = await session({ readState: createReadState() });
  await writeFile(at.dir.at("f"), Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]));
  await at.call("read", { path: "f" });
  await at.text("write", { path: "f", content: "no longer an image" });
});
