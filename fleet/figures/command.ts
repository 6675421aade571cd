import { spawn } from "node:child_process";
import { once } from "node:events";
import { stateEnvironment } from "../configuration.ts";

export interface CommandRun {
  readonly ms: number;
  readonly code: number | null;
  readonly stdout: string;
}

export interface CommandOptions {
  readonly stateFolder: string;
  readonly deadlineMs: number;
}

/** Runs one command of `indus` to its end. */
export async function runIndus(
  indus: string,
  args: readonly string[],
  { stateFolder, deadlineMs }: CommandOptions,
): Promise<CommandRun> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [indus, ...args], {
    env: { ...process.env, ...stateEnvironment(stateFolder) },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: deadlineMs,
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { ms: performance.now() - startMs, code, stdout };
}
