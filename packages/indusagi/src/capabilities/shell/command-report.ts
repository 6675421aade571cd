import { describeExit, plainText, showDuration } from "../../core/index.ts";
import type { OutputBudget, ShellExit, ShellResult } from "../contract/index.ts";
import { clamp } from "../kernel/index.ts";

/** The part of a command's output that a model sees. */
export interface OutputSections {
  readonly text: string;
  /** Bytes of output that are not in `text`. */
  readonly omittedBytes: number;
}

/** Both streams under their headings, together within the budget. An empty stream has no heading. */
export function outputSections(
  result: Pick<ShellResult, "stdout" | "stderr" | "omittedBytes">,
  budget: OutputBudget,
): OutputSections {
  const stdout = plainText(result.stdout);
  const stderr = plainText(result.stderr);
  const shares = shareBudget(Buffer.byteLength(stdout), Buffer.byteLength(stderr), budget.maxBytes);
  let omittedBytes = result.omittedBytes ?? 0;
  const cut = (text: string, maxBytes: number): string =>
    clamp(text, {
      ...budget,
      maxBytes,
      notice: (omitted) => {
        omittedBytes += omitted;
        return `\n[... ${omitted} bytes omitted ...]\n`;
      },
    });
  const sections = [
    section("stdout", cut(stdout, shares.stdout)),
    section("stderr", cut(stderr, shares.stderr)),
  ];
  return { text: sections.join("") || "(no output)\n", omittedBytes };
}

/** The line with the exit status. */
export function statusLine(result: ShellResult, timeoutMs: number): string {
  if (!result.timedOut) return `[status] ${describeExit(result)}`;
  const ended = `the command and every process it started were stopped (${describeExit(result)})`;
  return `[status] timed out after ${showDuration(timeoutMs)}: ${ended}`;
}

export function isSuccess({ code, signal }: ShellExit): boolean {
  return code === 0 && signal === undefined;
}

function section(name: string, text: string): string {
  if (text === "") return "";
  return `[${name}]\n${text}${text.endsWith("\n") ? "" : "\n"}`;
}

/** Each stream gets half of the budget, and what the other one does not need. */
function shareBudget(stdout: number, stderr: number, maxBytes: number): { stdout: number; stderr: number } {
  const half = Math.floor(maxBytes / 2);
  const forErrors = Math.min(stderr, Math.max(half, maxBytes - stdout));
  return { stdout: maxBytes - forErrors, stderr: forErrors };
}
