import { escapeForDisplay } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";

/** The stderr lines that explain why each failed server exited, at most three each. Empty if there are none. */
export function showReasons(statuses: readonly EndpointStatus[]): string {
  return statuses
    .filter(({ stderrReason = [] }) => stderrReason.length > 0)
    .map(({ server, stderrReason = [] }) => block(server, stderrReason))
    .join("\n");
}

/**
 * Shows all the stderr output that was kept for a failed server; nothing if it wrote nothing. A server that fails again and
 * again prints the same each time: that is shown once and then counted.
 */
export function stderrTeller(): (status: EndpointStatus) => string {
  const told = new Map<string, { readonly text: string; readonly times: number }>();
  return ({ server, fault }) => {
    const text = fault?.details.stderr ?? "";
    if (text === "") return "";
    const before = told.get(server);
    const times = before && withoutNumbers(before.text) === withoutNumbers(text) ? before.times + 1 : 1;
    told.set(server, { text, times });
    if (times === 1) return block(server, text.split("\n"));
    return `${escapeForDisplay(server)}, standard error: the same as before (${times} times)\n`;
  };
}

/** Times, process ids and addresses differ between runs. */
function withoutNumbers(text: string): string {
  return text.replace(/0x[0-9a-f]+|\d+/gi, "0");
}

function block(server: string, lines: readonly string[]): string {
  const shown = lines.map((line) => `  | ${escapeForDisplay(line.trimEnd())}\n`);
  return `${escapeForDisplay(server)}, standard error:\n${shown.join("")}`;
}
