import { fileURLToPath } from "node:url";
import type { TempDir } from "@indus/testkit";
import type { Terminal } from "../../src/boot/index.ts";
import { COMMANDS, runCommand } from "../../src/commands/index.ts";
import { parseArguments } from "../../src/launch/internal.ts";

const shelf = fileURLToPath(new URL("../../../../test/servers/shelf.mjs", import.meta.url));

/** A configuration row for the server with resources and prompts. */
export function shelfRow(...args: string[]): object {
  return { command: process.execPath, args: [shelf, ...args] };
}

const tasks = fileURLToPath(new URL("../../../../test/servers/tasks.mjs", import.meta.url));

/** A configuration row for the server whose tools run as tasks. */
export function tasksRow(...args: string[]): { readonly command: string; readonly args: string[] } {
  return { command: process.execPath, args: [tasks, ...args] };
}

export interface LineResult {
  readonly code: number;
  readonly out: string;
  readonly bytes: Buffer;
  readonly err: string;
}

/** Carries out a command line in this process. Its state is in the folder. */
export async function runLine(
  dir: TempDir,
  words: readonly string[],
  screen: Pick<Terminal, "outIsScreen" | "errIsScreen" | "outLook" | "errLook"> = {},
): Promise<LineResult> {
  const out: Buffer[] = [];
  let err = "";
  const terminal: Terminal = {
    out: (text) => void out.push(Buffer.from(text)),
    err: (text) => void (err += text),
    ...screen,
  };
  const env = { XDG_STATE_HOME: dir.at("state"), XDG_CONFIG_HOME: dir.at("config") };
  const { signal } = new AbortController();
  const code = await runCommand(parseArguments(words, COMMANDS), { terminal, signal, env });
  const bytes = Buffer.concat(out);
  return { code, out: bytes.toString(), bytes, err };
}
