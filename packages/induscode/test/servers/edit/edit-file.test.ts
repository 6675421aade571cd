import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { editFile } from "../../../src/servers/edit/edit-file.ts";

verifies(
  "command:edit-together",
  "a file that another program changes during an edit keeps that change",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("mcp.json");
    writeFileSync(path, "{}");
    const slow = editFile(
      path,
      async () => {
        writeFileSync(path, '{ "theirs": 1 }');
        return '{ "ours": 1 }';
      },
      { root: dir.path },
    );
    await expect(slow).rejects.toThrow("was changed by another program just now; try again");
    expect(readFileSync(path, "utf8")).toBe('{ "theirs": 1 }');
    const edit = await editFile(path, () => '{ "ours": 1 }', { root: dir.path });
    expect(edit).toMatchObject({ isChanged: true, difference: '- { "theirs": 1 }\n+ { "ours": 1 }' });
    expect(readFileSync(edit.backup ?? "", "utf8")).toBe('{ "theirs": 1 }');
    const same = await editFile(path, (text = "") => text, { root: dir.path });
    expect([same.isChanged, same.backup]).toEqual([false, undefined]);
  },
);

verifies(
  "command:edit-refusals",
  "something that is not a regular file is not edited",
  async () => {
    await using dir = await tempDir();
    execFileSync("mkfifo", [dir.at("fifo")]);
    for (const path of [dir.at("fifo"), dir.path])
      await expect(editFile(path, () => "{}", { root: dir.path })).rejects.toThrow("is not a regular file");
    expect(existsSync(dir.at("backups"))).toBe(false);
  },
  { only: ["linux", "darwin"] },
);
