import { mkdirSync } from "node:fs";
import { canMount, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import { indusBin } from "./run-indus.ts";

/** Longer than what is left of the last page of the file. */
const LONG = "Done. ".repeat(2_000).trim();

verifies(
  "session:full-disk",
  "the answer is complete, one line names the transcript, and the exit code is that of the answer",
  async () => {
    await using test = await printRun([
      calling(["bash", { command: "head -c 4000000 /dev/zero > ../disk/fill; true" }]),
      { text: LONG },
    ]);
    mkdirSync(test.at("disk"));
    const mount = 'mount -t tmpfs -o size=1m tiny "$0" && exec "$@"';
    const wrapper = ["--mount", "/bin/sh", "-c", mount, test.at("disk")];
    const line = [process.execPath, indusBin, "-p", "--mode", "bypass", "Fill it."];
    const child = await new Promise<{
      readonly status: number | null;
      readonly out: string;
      readonly err: string;
    }>((resolve) => {
      const { spawn } = process.getBuiltinModule("node:child_process");
      const env = { ...test.env, XDG_STATE_HOME: test.at("disk", "state") };
      const started = spawn("unshare", [...wrapper, ...line], {
        cwd: test.project,
        env,
        stdio: ["ignore", "pipe", "pipe"],
        timeout: 40_000, // A program that hangs must not outlive the test.
        killSignal: "SIGKILL",
      });
      const texts = { out: "", err: "" };
      started.stdout.on("data", (chunk) => (texts.out += String(chunk)));
      started.stderr.on("data", (chunk) => (texts.err += String(chunk)));
      started.once("close", (status) => resolve({ status, ...texts }));
    });
    expect(child).toMatchObject({ status: 0, out: `${LONG}\n` });
    expect(
      child.err.match(/transcript\.jsonl cannot be written: the disk is full; the session goes on/g),
    ).toHaveLength(1);
    expect(child.err.trimEnd().split("\n")).toHaveLength(1);
  },
  { when: canMount(), timeoutMs: 60_000 },
);
