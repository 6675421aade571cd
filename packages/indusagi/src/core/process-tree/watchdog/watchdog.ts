import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { parse } from "node:path";
import { describeError } from "../../describe-error.ts";
import { COOKIE_NAME } from "../members/tree-record.ts";
import { noteWatchdogProblem } from "./protection-level.ts";
import { WATCHDOG_SOURCE } from "./watchdog-source.ts";

/**
 * The process that outlives us by a moment: it holds the other end of a pipe of ours, and when the pipe breaks,
 * however we died, it ends every tree it was told of.
 */
export interface Watchdog {
  readonly running: boolean;
  /** Gives it an order, starting it first if need be. */
  tell(order: string): void;
}

/** `retell` gives the orders that bring a new watchdog up to date, should one die under our hands. */
export function createWatchdog(retell: () => readonly string[]): Watchdog {
  let dog: ChildProcess | undefined;
  let startsLeft = MAX_STARTS;

  const start = (orders: readonly string[]): void => {
    if (startsLeft === 0) return;
    startsLeft -= 1;
    const started = spawnWatchdog(orders);
    if (!started) return;
    dog = started;
    noteWatchdogProblem(undefined);
    started.once("exit", () => {
      dog = undefined;
      if (startsLeft === 0) noteWatchdogProblem(`it ended ${MAX_STARTS} times`);
      const known = retell();
      if (known.length > 0) start(known);
    });
  };

  return {
    get running() {
      return dog !== undefined;
    },
    tell(order) {
      if (dog) dog.stdin?.write(`${order}\n`);
      else start([...retell(), order]);
    },
  };
}

/** Something that kills watchdogs at sight shall not make us start them for ever. */
const MAX_STARTS = 5;

/** The first orders are arguments: there is no moment in which it lives and knows nothing. */
function spawnWatchdog(orders: readonly string[]): ChildProcess | undefined {
  try {
    const dog = spawn(process.execPath, ["--input-type=commonjs", "-e", WATCHDOG_SOURCE, "--", ...orders], {
      // A session of its own: Ctrl-C at the terminal is for us, not for the one who cleans up after us.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      windowsHide: true,
      // It must not keep a folder busy.
      cwd: parse(process.execPath).root,
      env: watchdogEnvironment(),
    });
    dog.on("error", (cause) => noteWatchdogProblem(describeError(cause)));
    dog.stdin.on("error", () => {});
    dog.unref();
    (dog.stdin as Socket).unref();
    return dog.pid === undefined ? undefined : dog;
  } catch (cause) {
    noteWatchdogProblem(describeError(cause));
    return undefined;
  }
}

/** Nothing of ours but what marks us as part of an outer tree: then its owner ends the watchdog with us. */
function watchdogEnvironment(): NodeJS.ProcessEnv {
  const kept = [COOKIE_NAME, "SystemRoot", "PATH"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const asNode = "electron" in process.versions ? [["ELECTRON_RUN_AS_NODE", "1"] as const] : [];
  return Object.fromEntries([...kept, ...asNode]);
}
