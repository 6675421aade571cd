import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir } from "@indus/testkit";
import { build } from "esbuild";
import type { LedgerReport, LedgerTask } from "./ledger-program.ts";

/** A writer in a separate process, for tests that race or kill it. */
interface Writer extends AsyncDisposable {
  /** Its reports so far. A line that was cut off when it was killed is not a report. */
  reports(): LedgerReport[];
  /** Resolves when a report matches, or the writer has ended. */
  until(isIt: (report: LedgerReport) => boolean): Promise<void>;
  /** Resolves with all reports when the writer has ended. */
  ended(): Promise<LedgerReport[]>;
  /** Ends it with SIGKILL and resolves like `ended`. */
  kill(): Promise<LedgerReport[]>;
}

export interface LedgerProgram extends AsyncDisposable {
  /** `wrapper`: a command that runs the rest of its arguments, for example with a smaller disk. */
  start(task: LedgerTask, wrapper?: readonly string[]): Writer;
}

export async function buildLedgerProgram(): Promise<LedgerProgram> {
  const dir: TempDir = await tempDir();
  const path = dir.at("ledger-program.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("ledger-program.ts", import.meta.url))],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@indus/source"],
    external: ["@modelcontextprotocol/*", "@vscode/ripgrep"],
    banner: {
      js: 'import * as module$ from "node:module"; const require = module$.createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return {
    start: (task, wrapper = []) => {
      const [command, ...given] = [...wrapper, process.execPath];
      const child = spawn(command ?? "", [...given, path], { stdio: ["pipe", "pipe", "inherit"] });
      child.stdin.end(JSON.stringify(task));
      return writerOf(child);
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

function writerOf(child: ChildProcess): Writer {
  let text = "";
  const closed = once(child, "close");
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  const reports = (): LedgerReport[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LedgerReport);
  const ended = async (): Promise<LedgerReport[]> => {
    await closed;
    return reports();
  };
  const kill = (): Promise<LedgerReport[]> => {
    child.kill("SIGKILL");
    return ended();
  };
  return {
    reports,
    until: (isIt) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (reports().some(isIt)) resolve();
        };
        child.stdout?.on("data", look);
        child.once("close", () => resolve());
        look();
      }),
    ended,
    kill,
    [Symbol.asyncDispose]: async () => void (await kill()),
  };
}
