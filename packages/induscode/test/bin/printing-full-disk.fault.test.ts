import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canMount, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import { indusBin } from "./run-indus.ts";

/** Longer than what is left of the last page of the file. */
const LONG = "Done. ".repeat(2_000).trim();

verifies(
  "session:full-disk",
  "the answer is complete, one line names the transcript, long results can be read, and all is written when there is space",
  async () => {
    await using test = await printRun([
      calling(["bash", { command: "head -c 4000000 /dev/zero > ../disk/fill; true" }]),
      calling(["bash", { command: "seq 1 20000" }]),
      calling(["read_result", { id: "r4_l_0_bash", search: "12345" }]),
      calling(["bash", { command: "rm ../disk/fill" }]),
      { text: LONG },
    ]);
    mkdirSync(test.at("disk"));
    const script =
      'mount -t tmpfs -o size=1m tiny "$0" && "$@"; code=$?; cp -r "$0/state" "$0-kept"; exit $code';
    const wrapper = ["--mount", "/bin/sh", "-c", script, test.at("disk")];
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
    const count = (part: RegExp): number => child.err.match(part)?.length ?? 0;
    expect(
      {
        refused: count(/transcript\.jsonl cannot be written: the disk is full; the session continues/g),
        complete: count(/transcript\.jsonl is complete again/g),
        results: count(/results cannot be written: the disk is full; this session keeps them in memory/g),
        lines: count(/\n/g),
      },
      child.err,
    ).toEqual({ refused: 1, complete: 1, results: 1, lines: 3 });
    expect(JSON.stringify(test.server.requests[3])).toContain("lines contain");
    const entries = entriesBelow(test.at("disk-kept"));
    expect(entries.filter(({ kind }) => kind === "tool")).toHaveLength(4);
    expect(entries.at(-1)).toMatchObject({ kind: "assistant", content: [{ text: LONG }] });
  },
  { when: canMount(), timeoutMs: 60_000 },
);

/** What the only transcript below a folder holds. */
function entriesBelow(folder: string): readonly { readonly kind: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const [file = ""] = files.filter((name) => name.endsWith("transcript.jsonl"));
  return readFileSync(join(folder, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly type: string; readonly entry: { readonly kind: string } })
    .flatMap(({ type, entry }) => (type === "entry" ? [entry] : []));
}
