import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { indusBin } from "./run-indus.ts";

/** The command in a pseudo-terminal, and what a user would see on its screen. */
export interface TerminalIndus extends Disposable {
  readonly pid: number;
  /** The lines of the screen and above it, without spaces at their ends and without the empty ones after the last. */
  lines(): readonly string[];
  screen(): string;
  /** The same without what has scrolled out of view. */
  visible(): string;
  /** The lines that were longer than the screen is wide, so that the terminal broke them. */
  broken(): readonly string[];
  /** Everything the command wrote, with its control codes. */
  written(): string;
  /** False if the command left the cursor hidden, marks around pasted texts, or the screen of an editor active. */
  isRestored(): boolean;
  press(keys: string): void;
  resize(columns: number): void;
  /** The exit code, when the command has ended and all its output is on the screen. */
  readonly ended: Promise<number>;
}

export interface TerminalOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Default 80. */
  readonly columns?: number;
  /** Default 40. */
  readonly rows?: number;
  /** The value of `TERM`. Default `xterm-256color`. */
  readonly term?: string;
}

/** Variables of the shell that runs the tests must not decide about colours here. */
const UNSET = { FORCE_COLOR: undefined, NO_COLOR: undefined, CI: undefined };

/** Starts the command in a terminal of its own. On Linux and macOS, where a pseudo-terminal has signals. */
export function startInTerminal(args: readonly string[], options: TerminalOptions = {}): TerminalIndus {
  const { columns = 80, rows = 40, term = "xterm-256color" } = options;
  const state = mkdtempSync(join(tmpdir(), "indus-state-"));
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
  const env = {
    ...process.env,
    ...UNSET,
    XDG_STATE_HOME: state,
    XDG_CONFIG_HOME: state,
    ...options.env,
    TERM: term,
  };
  const pty = spawn(process.execPath, [indusBin, ...args], {
    name: term,
    cols: columns,
    rows,
    cwd: options.cwd ?? process.cwd(),
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
  });
  let written = "";
  let shown = Promise.resolve();
  pty.onData((text) => {
    written += text;
    shown = new Promise((resolve) => screen.write(text, resolve));
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal = 0 }) => {
      rmSync(state, { recursive: true, force: true, maxRetries: 3 });
      // As a shell shows the end by a signal.
      void shown.then(() => resolve(signal > 0 ? 128 + signal : exitCode));
    });
  });
  const lines = (): readonly string[] => {
    const { active } = screen.buffer;
    const all = Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true) ?? "",
    );
    return all.slice(0, all.findLastIndex((line) => line !== "") + 1);
  };
  return {
    pid: pty.pid,
    lines,
    screen: () => lines().join("\n"),
    visible: () => lines().slice(screen.buffer.active.baseY).join("\n"),
    broken: () => lines().filter((_, at) => screen.buffer.active.getLine(at + 1)?.isWrapped ?? false),
    written: () => written,
    isRestored: () => isVisible(written) && pastesPlainly(written) && screen.buffer.active.type === "normal",
    press: (keys) => pty.write(keys),
    resize: (wide) => {
      screen.resize(wide, rows);
      pty.resize(wide, rows);
    },
    ended,
    [Symbol.dispose]: () => {
      try {
        pty.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      screen.dispose();
    },
  };
}

/** Whether the last code about the cursor, if there is one, shows it. */
function isVisible(written: string): boolean {
  return written.lastIndexOf("\u001b[?25l") <= written.lastIndexOf("\u001b[?25h");
}

/** Whether the last code about pasted texts, if there is one, turns the marks around them off. */
function pastesPlainly(written: string): boolean {
  return written.lastIndexOf("\u001b[?2004h") <= written.lastIndexOf("\u001b[?2004l");
}
