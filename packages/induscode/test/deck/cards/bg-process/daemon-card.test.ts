import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { daemonCard } from "induscode/deck";
import { expect } from "vitest";
import {
  aliveWith,
  becomesTrue,
  newMark,
} from "../../../../../indusagi/test/core/process-tree/tree-shapes.ts";
import { type CardSession, openCard } from "../card-session.ts";

const only = ["linux"] as const;
/** Long enough for a quick command on a busy machine. */
const patient = daemonCard({ settleMs: 30_000 });

/** Polls until the text appears; returns everything polled. */
async function pollUntil(card: CardSession, id: string, text: string): Promise<string> {
  let polled = "";
  const deadlineMs = performance.now() + 30_000;
  while (!polled.includes(text) && performance.now() < deadlineMs) {
    polled += (await card.run({ action: "poll", id, sinceLast: true })).text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return polled;
}

verifies(
  "cards:bg-start",
  "a job keeps running; its result has id, pid, status and log, in words and as data",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(daemonCard(), dir.path);
    const mark = newMark();
    const started = await card.run({ action: "start", command: `sleep ${mark}` });
    expect(started.outcome.isError).toBe(false);
    expect(started.text).toMatch(
      /^bg-1 \(pid \d+\): running for \d+ ms\nlog: \.indusvx-bg\/bg-1-\w+\.log\nIt runs in the background/,
    );
    expect(started.structured).toMatchObject({ id: "bg-1", status: "running", command: `sleep ${mark}` });
    expect(aliveWith(mark).length).toBe(1);
    const { text, structured } = await card.run({ action: "list" });
    expect(text).toMatch(
      /^ID +STATUS +LOG +COMMAND\nbg-1 +running for .* +\.indusvx-bg\/bg-1-\w+\.log +sleep /,
    );
    expect(structured).toMatchObject({ jobs: [{ id: "bg-1" }] });
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "cards:bg-start",
  "a job that fails at once is an error with its exit code and output; a quick success is none",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(patient, dir.path);
    const failed = await card.run({ action: "start", command: "echo out; echo oops >&2; exit 7" });
    expect(failed.outcome.isError).toBe(true);
    expect(failed.text).toMatch(/exit code 7 after .*\nlog: .*\n\[stdout\]\nout\n\[stderr\]\noops\n$/);
    expect(failed.structured).toMatchObject({ status: "ended", exitCode: 7 });
    const killed = await card.run({ action: "start", command: "kill -9 $$" });
    expect(killed.structured).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    expect((await card.run({ action: "start", command: "echo fine" })).outcome.isError).toBe(false);
    const log = dir.at(String(failed.structured["logPath"]));
    expect(readFileSync(log, "utf8").split("\n").sort()).toEqual(["", "oops", "out"]);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(readFileSync(dir.at(".indusvx-bg", ".gitignore"), "utf8")).toBe("*\n");
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "cards:bg-poll",
  "streams are apart; sinceLast shows only what is new, also of a line that has not ended",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(daemonCard(), dir.path);
    const command =
      "printf 'one \\xe2'; echo err >&2; while [ ! -e go ]; do sleep 0.01; done; printf '\\x9c\\x93 two\\n'; sleep 60";
    await card.run({ action: "start", command });
    expect(await pollUntil(card, "bg-1", "one")).toContain("[stdout]\none ");
    const nothing = await card.run({ action: "poll", id: "bg-1", sinceLast: true });
    expect(nothing.text).toMatch(/running for .*\nlog: .*\n(\(no new output\)|\[stderr\]\nerr\n)$/);
    writeFileSync(dir.at("go"), "");
    expect(await pollUntil(card, "bg-1", "two")).toMatch(/\[stdout\]\n✓ two\n$/);
    const all = await card.run({ action: "poll", id: "bg-1" });
    expect(all.text).toMatch(/\[stdout\]\none ✓ two\n\[stderr\]\nerr\n$/);
    expect((await card.run({ action: "poll", id: "bg-1" })).text).toMatch(/one ✓ two/);
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "cards:bg-poll",
  "of much output the last lines of each stream are shown, and the log has all",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(patient, dir.path);
    const started = await card.run({ action: "start", command: "seq 1 3000; seq 4001 7000 >&2" });
    expect(started.text).toContain("[... 1000 earlier lines are only in the log ...]\n1001\n");
    expect(started.text).toContain(
      "\n3000\n[stderr]\n[... 1000 earlier lines are only in the log ...]\n5001\n",
    );
    expect(readFileSync(dir.at(String(started.structured["logPath"])), "utf8").split("\n").length).toBe(
      6_001,
    );
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "cards:bg-stop",
  "stop ends the whole tree, also one that ignores SIGTERM; a second stop is no error",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(daemonCard(), dir.path);
    const mark = newMark();
    await card.run({ action: "start", command: `(setsid sleep ${mark} &); sleep ${mark} & wait` });
    const stubborn = `trap '' TERM; echo ready; while :; do sleep 0.05; : ${mark}; done`;
    await card.run({ action: "start", command: stubborn });
    await pollUntil(card, "bg-2", "ready");
    const began = performance.now();
    const [stopped, killed] = await Promise.all([
      card.run({ action: "stop", id: "bg-1" }),
      card.run({ action: "stop", id: "bg-2" }),
    ]);
    expect(stopped.text).toMatch(
      /ended by SIGTERM after[^]*It was stopped, with everything it had started\.$/,
    );
    expect(killed.structured).toMatchObject({ status: "ended", signal: "SIGKILL" });
    expect(performance.now() - began).toBeGreaterThanOrEqual(2_900);
    expect(aliveWith(mark)).toEqual([]);
    const again = await card.run({ action: "stop", id: "bg-1" });
    expect(again.outcome.isError).toBe(false);
    expect(again.text).toMatch(/It had already ended\.$/);
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "cards:arguments",
  "bg-process names a missing command, a missing id and an unknown one",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(daemonCard(), dir.path);
    const message = async (input: object): Promise<string> => (await card.run(input)).text;
    expect(await message({ action: "start" })).toBe(
      'bg-process: "command" is missing; start needs the command line to run',
    );
    expect(await message({ action: "poll" })).toBe(
      'bg-process: "id" is missing; poll needs the id of a job; known jobs: none',
    );
    expect(await message({ action: "stop", id: "job-1" })).toBe(
      'bg-process: there is no job "job-1"; known jobs: none',
    );
  },
);

verifies(
  "cards:bg-session",
  "the end of a session ends its jobs, also those that are starting, and removes their logs",
  async () => {
    await using dir = await tempDir();
    const card = openCard(daemonCard(), dir.path);
    const mark = newMark();
    await card.run({ action: "start", command: `sleep ${mark}` });
    const late = card.run({ action: "start", command: `sleep ${mark}` });
    await card.session.close();
    expect(aliveWith(mark)).toEqual([]);
    expect((await late).outcome.isError).toBe(true);
    expect(aliveWith(mark)).toEqual([]);
    expect(readdirSync(dir.at(".indusvx-bg"))).toEqual([".gitignore"]);
    expect((await card.run({ action: "start", command: "true" })).text).toBe(
      "bg-process: the session has ended; no job can be started",
    );
    expect((await card.run({ action: "list" })).text).toBe("no jobs");
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "cards:bg-session",
  "an aborted start leaves no job",
  async () => {
    await using dir = await tempDir();
    await using card = openCard(patient, dir.path);
    const mark = newMark();
    const abort = new AbortController();
    const starting = card.run({ action: "start", command: `sleep ${mark}` }, { signal: abort.signal });
    expect(await becomesTrue(() => aliveWith(mark).length === 1, 30_000)).toBe(true);
    abort.abort();
    expect((await starting).outcome.fault).toMatchObject({ reason: "aborted" });
    expect(await becomesTrue(() => aliveWith(mark).length === 0, 30_000)).toBe(true);
  },
  { only, timeoutMs: 60_000 },
);

verifies(
  "cards:bg-leftovers",
  "a log that has not changed for a week is removed by the next start; a newer one and other files stay",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at(".indusvx-bg"));
    const [old, young, other] = [
      "bg-1-01ARZ3NDEKTSV4RRFFQ69G5FAV.log",
      "bg-2-01ARZ3NDEKTSV4RRFFQ69G5FAV.log",
      "notes.log",
    ].map((name) => dir.at(".indusvx-bg", name)) as [string, string, string];
    for (const path of [old, young, other]) writeFileSync(path, "x");
    const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 3600;
    for (const path of [old, other]) utimesSync(path, eightDaysAgo, eightDaysAgo);
    await using card = openCard(daemonCard(), dir.path);
    await card.run({ action: "start", command: "true" });
    expect(await becomesTrue(() => !existsSync(old), 30_000)).toBe(true);
    expect([young, other].map((path) => existsSync(path))).toEqual([true, true]);
  },
  { only, timeoutMs: 60_000 },
);
