import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { atSize, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import type { ScriptedAnswer } from "../models/wire/script.ts";
import { eventually, startedPids, untilGone } from "./run-indus.ts";
import { startInTerminal } from "./terminal-indus.ts";

const HANG_MS = 60_000;
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

interface Moment {
  readonly answers: readonly ScriptedAnswer[];
  /** Shown when the moment has come. */
  readonly sign: string;
  readonly startsProcess?: boolean;
}

const RUNS = calling(["bash", { command: "echo $$ >> pids; exec sleep 60" }]);
const MOMENTS: { readonly [name: string]: Moment } = {
  "at the prompt": { answers: [{ text: "Done." }], sign: "Done." },
  "while the model writes": { answers: [{ text: "This answer hangs", hangAfter: 0.8 }], sign: "This" },
  "in a dialog": { answers: [calling(["write", { path: "a", content: "b" }])], sign: "Run this call?" },
  "while a tool runs": { answers: [RUNS], sign: "bash(", startsProcess: true },
};

const cases = atSize<readonly (readonly [string, keyof typeof CODES])[]>({
  quick: [["while a tool runs", "SIGTERM"]],
  full: Object.keys(MOMENTS).flatMap((moment) =>
    (Object.keys(CODES) as (keyof typeof CODES)[]).map((signal) => [moment, signal] as const),
  ),
});

for (const [name, signal] of cases) {
  verifies(
    "repl:signals",
    `${signal} ${name}`,
    async () => {
      const { answers, sign, startsProcess = false } = MOMENTS[name] ?? { answers: [], sign: "" };
      await using test = await printRun(answers);
      const words = ["-i", "--mode", startsProcess ? "bypass" : "default", "Begin here."];
      using indus = startInTerminal(words, { cwd: test.project, env: test.env });
      await eventually(() => indus.screen().includes(sign) || undefined, HANG_MS);
      const pids = startsProcess ? await startedPids(join(test.project, "pids"), 1) : [];
      process.kill(indus.pid, signal);
      expect(await indus.ended).toBe(CODES[signal]);
      expect(indus.isRestored()).toBe(true);
      await untilGone(pids);
      const state = test.at("state");
      const files = readdirSync(state, { recursive: true, encoding: "utf8" });
      const transcript = files.find((file) => file.endsWith("transcript.jsonl")) ?? "";
      expect(readFileSync(join(state, transcript), "utf8")).toContain("Begin here.");
    },
    { timeoutMs: 3 * HANG_MS, only: ["linux", "darwin"] },
  );
}
