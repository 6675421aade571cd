import { spawn } from "node:child_process";
import fs from "node:fs";
import { verifies } from "@indus/testkit";
import { expect, vi } from "vitest";
import { procProcessTable } from "../../../../src/core/process-tree/members/proc-process-table.ts";
import type { ProcessRow } from "../../../../src/core/process-tree/members/process-identity.ts";

const only = ["linux"] as const;

/** The processes whose `stat` was read by this. */
function readBy(list: () => unknown): readonly number[] {
  const opened = vi.spyOn(fs, "openSync");
  list();
  const pids = opened.mock.calls.flatMap(([path]) => /^\/proc\/(\d+)\/stat$/.exec(String(path))?.[1] ?? []);
  opened.mockRestore();
  return pids.map(Number);
}

verifies(
  "core:scan-cost",
  "a process is read until it has been seen for a while, then only by a full listing; one that ended is forgotten",
  async () => {
    const list = (): readonly ProcessRow[] => procProcessTable.list();
    const listKnown = (): readonly ProcessRow[] => procProcessTable.listKnown?.() ?? [];
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    const { pid = 0 } = child;
    try {
      expect(readBy(listKnown)).toContain(pid);
      await vi.waitFor(() => expect(readBy(listKnown)).not.toContain(pid), { timeout: 10_000 });
      expect(listKnown().find((row) => row.pid === pid)).toMatchObject({ pid, parent: process.pid });
      expect(readBy(list)).toContain(pid);
    } finally {
      child.kill("SIGKILL");
    }
    await new Promise((resolve) => child.once("exit", resolve));
    expect(listKnown().some((row) => row.pid === pid)).toBe(false);
  },
  { only },
);
