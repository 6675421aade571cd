import { escapeForDisplay } from "indusagi/core";
import type { EndpointStatus } from "indusagi/interop";

/** The stderr lines that explain why each failed server exited, at most three each. Empty if there are none. */
export function showReasons(statuses: readonly EndpointStatus[]): string {
  return statuses
    .filter(({ stderrReason = [] }) => stderrReason.length > 0)
    .map(({ server, stderrReason = [] }) => block(server, stderrReason))
    .join("\n");
}

/** All the stderr output that was kept for a failed server. Empty if it wrote nothing. */
export function showStderr({ server, fault }: EndpointStatus): string {
  const text = fault?.details.stderr ?? "";
  return text === "" ? "" : block(server, text.split("\n"));
}

function block(server: string, lines: readonly string[]): string {
  const shown = lines.map((line) => `  | ${escapeForDisplay(line.trimEnd())}\n`);
  return `${escapeForDisplay(server)}, standard error:\n${shown.join("")}`;
}
