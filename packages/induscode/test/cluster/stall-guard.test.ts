import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { startStallGuard } from "../../src/cluster/stall-guard.ts";

verifies(
  "cluster:still",
  "a stopped process is killed when its time is over, and one whose time is renewed is not",
  async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
    const reports: string[] = [];
    const guard = startStallGuard((message) => void reports.push(message), child.pid);
    try {
      for (let renewals = 5; renewals > 0; renewals--) {
        guard?.allow(3_000);
        await pause(500);
      }
      expect(child.signalCode).toBeNull();
      const ended = once(child, "exit");
      child.kill("SIGSTOP");
      expect(await ended).toEqual([null, "SIGKILL"]);
      expect(reports.filter((each) => !each.includes("guard has ended"))).toEqual([]);
    } finally {
      guard?.[Symbol.dispose]();
      child.kill("SIGKILL");
    }
  },
  { only: ["linux", "darwin"] },
);
