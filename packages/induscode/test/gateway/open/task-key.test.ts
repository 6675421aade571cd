import { chmod } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openRun } from "../../../src/boot/internal.ts";
import { openTaskKey } from "../../../src/gateway/open/task-key.ts";

verifies("tasks:handles", "the key is kept in the state folder, and made once per folder", async () => {
  await using dir = await tempDir();
  const reports: string[] = [];
  const key = async (): Promise<string> => {
    const terminal = { out: () => {}, err: (text: string) => void reports.push(text) };
    const env = { XDG_STATE_HOME: dir.at("state"), HOME: dir.at("home") };
    await using run = await openRun({ terminal, signal: new AbortController().signal, cwd: dir.path, env });
    const make = await openTaskKey(run);
    expect(make()).toBe(make());
    expect(make()).toHaveLength(32);
    const { path } = await run.state.folder();
    folder = path;
    return Buffer.from(make()).toString("hex");
  };
  let folder = "";
  const first = await key();
  expect(await key()).toBe(first);
  // A file that others can read is not used.
  if (process.platform !== "win32") {
    await chmod(`${folder}/task-key.json`, 0o666);
    expect(await key()).not.toBe(first);
  }
});
