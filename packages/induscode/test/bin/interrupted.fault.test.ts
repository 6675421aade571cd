import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  atSize,
  isFullSize,
  machinePace,
  recordFigure,
  type TempDir,
  tempDir,
  verifies,
} from "@indus/testkit";
import { mintUlid } from "indusagi/core";
import { expect } from "vitest";
import { readLedgerHistory } from "../../src/deck/history/index.ts";
import { interruptedPhases, type Phase, processesWith } from "./interrupted-phases.ts";
import { eventually, startIndus } from "./run-indus.ts";
import { startInTerminal } from "./terminal-indus.ts";

/** Longer than the time in which a second signal counts as an echo of the first. */
const SECOND_MS = 350;
const AT_ONCE = 4;

interface Ending {
  readonly code: number | null;
  readonly ms: number;
  readonly shown: string;
  /** Whether processes of the command were found before. Otherwise that none was found afterwards would prove nothing. */
  readonly wasSeen: boolean;
  /** Processes that were still there afterwards. */
  readonly left: readonly string[];
  readonly isRestored: boolean;
  readonly damaged: readonly unknown[];
}

/** A running command, in a pipe or in a terminal. */
interface Running extends Disposable {
  interrupt(): void;
  shown(): string;
  isRestored(): boolean;
  readonly ended: Promise<number | null>;
}

function startPhase(
  { args, inTerminal, input = [], unread }: Phase,
  env: NodeJS.ProcessEnv,
  cwd: string,
): Running {
  if (inTerminal) {
    const indus = startInTerminal(args, { env, cwd });
    return {
      interrupt: () => indus.press("\u0003"),
      shown: indus.screen,
      isRestored: indus.isRestored,
      ended: indus.ended,
      [Symbol.dispose]: () => indus[Symbol.dispose](),
    };
  }
  const indus = startIndus(args, { env, cwd });
  const { child } = indus;
  for (const message of input) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  if (unread) child.stdout.pause();
  // Not `close`: the output of one of the phases is not read.
  const ended = new Promise<number | null>((resolve) =>
    child.once("exit", (code, signal) => resolve(signal === "SIGINT" ? 130 : code)),
  );
  return {
    interrupt: () => void child.kill("SIGINT"),
    shown: () => indus.out() + indus.err(),
    isRestored: () => true,
    ended,
    [Symbol.dispose]: () => indus[Symbol.dispose](),
  };
}

/** Starts a command, waits for the moment, and presses Ctrl-C once or several times. */
async function interrupted(
  phase: Phase,
  dir: TempDir,
  { twice, moment }: { twice: boolean; moment?: number },
): Promise<Ending> {
  const mark = `LC_INDUSMARK=${mintUlid()}`;
  const state = dir.at(`state-${mark.slice(-26)}`);
  const env = { XDG_STATE_HOME: state, ...phase.env, LC_INDUSMARK: mark.slice(mark.indexOf("=") + 1) };
  using running = startPhase(phase, env, dir.path);
  if (moment === undefined) await eventually(() => phase.isReached(running.shown()) || undefined, 60_000);
  else await Promise.race([pause(moment), running.ended]);
  const wasSeen = processesWith(mark).length > 0;
  const startMs = performance.now();
  running.interrupt();
  if (twice) {
    running.interrupt();
    void pause(SECOND_MS).then(() => running.interrupt());
  }
  const code = await running.ended;
  const ms = performance.now() - startMs;
  // The watchdog needs a moment for what a process that ended at once left to it.
  const left = await eventually(() => (processesWith(mark).length === 0 ? [] : undefined), 5_000).catch(() =>
    processesWith(mark),
  );
  return {
    code,
    wasSeen,
    ms,
    left,
    shown: running.shown(),
    isRestored: running.isRestored(),
    damaged: await damagedIn(state),
  };
}

async function damagedIn(state: string): Promise<readonly unknown[]> {
  const root = join(state, "indusvx");
  mkdirSync(root, { recursive: true });
  const histories = await Promise.all(
    readdirSync(root).map((workspace) => readLedgerHistory(join(root, workspace, "ledger"))),
  );
  return histories.flatMap(({ damaged }) => damaged);
}

/** Runs tasks, a few at a time. */
async function inTurns<Value>(tasks: readonly (() => Promise<Value>)[]): Promise<Value[]> {
  const results: Value[] = [];
  const waiting = [...tasks.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await next[1]();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

function check(name: string, { code, left, isRestored, damaged, shown }: Ending): void {
  expect({ name, code, left, isRestored, damaged }).toEqual({
    name,
    code: 130,
    left: [],
    isRestored: true,
    damaged: [],
  });
  expect(shown, name).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
}

verifies(
  "command:interrupted",
  "Ctrl-C once and twice in each of thirteen phases: exit code 130 within 3 s, no process left, terminal and ledger intact",
  async () => {
    await using once = await tempDir();
    await using twice = await tempDir();
    const pace = await machinePace();
    const runs = [
      ...interruptedPhases(once).map((phase) => ({ phase, dir: once, twice: false })),
      ...interruptedPhases(twice).map((phase) => ({ phase, dir: twice, twice: true })),
    ];
    expect(runs).toHaveLength(26);
    const endings = await inTurns(
      runs.map(
        ({ phase, dir, twice }) =>
          () =>
            interrupted(phase, dir, { twice }),
      ),
    );
    for (const [at, ending] of endings.entries()) {
      const { phase, twice } = runs[at]!;
      if (phase.name !== "start of the program") expect(ending.wasSeen, phase.name).toBe(true);
      check(`${phase.name}, ${twice ? "twice" : "once"}`, ending);
    }
    const hangMs = atSize({ quick: 15_000, full: 3_000 });
    await pace.check(
      endings.map(({ ms }) => ms),
      { hangMs, medianMs: 1_000 },
    );
  },
  { only: ["linux"], timeoutMs: 120_000 },
);

verifies(
  "command:interrupted",
  "Ctrl-C at any moment",
  async () => {
    await using dir = await tempDir();
    const pace = await machinePace();
    const count = atSize({ quick: 6, full: 300 });
    const phases = interruptedPhases(dir).filter(({ unread }) => !unread);
    let seed = isFullSize ? Date.now() % 100_000 : 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const runs = Array.from({ length: count }, () => ({
      phase: phases[random(phases.length)]!,
      moment: random(900),
      twice: random(2) === 1,
    }));
    const endings = await inTurns(
      runs.map(
        ({ phase, ...how }) =>
          () =>
            interrupted(phase, dir, how),
      ),
    );
    const isOver = ({ code }: Ending): boolean => code === 0 || code === 1;
    for (const [at, ending] of endings.entries()) {
      const { phase, moment, twice } = runs[at]!;
      const name = `${phase.name} after ${moment} ms, ${twice ? "twice" : "once"}`;
      // A command that had ended by itself shows nothing but must have left nothing.
      check(name, isOver(ending) ? { ...ending, code: 130 } : ending);
    }
    const times = endings.map(({ ms }) => ms);
    await pace.check(times, { hangMs: atSize({ quick: 15_000, full: 3_000 }), medianMs: 1_000 });
    recordFigure({
      what: "B31 Ctrl-C at a random moment",
      size: `${count} times, ${endings.filter((ending) => !isOver(ending)).length} before the command had ended`,
      found: `0 processes left, 0 damaged ledgers, worst end after ${Math.round(Math.max(...times))} ms`,
    });
  },
  { only: ["linux"], timeoutMs: 15 * 60_000 },
);
