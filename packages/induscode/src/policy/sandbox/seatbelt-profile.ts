import type { SandboxPlan } from "./sandbox-plan.ts";

/**
 * The profile for `sandbox-exec` on macOS: allows reading, and writing only in the temporary folder and, if planned, the
 * workspace; no network, and no services that start programs. Later rules win. `names` are protected in every folder of the
 * workspace, even if they do not exist. Untested: we have no such machine.
 */
export function seatbeltProfile(
  { access, workspace, scratch, readOnly, hidden }: SandboxPlan,
  names: readonly string[],
): string {
  const subpaths = (paths: readonly string[]): string =>
    paths.map((path) => `(subpath ${quoted(path)})`).join(" ");
  const within = `^${escaped(workspace)}/(.*/)?`;
  const guarded = names.map((name) => `(regex ${quoted(`${within}${escaped(name)}(/.*)?$`)})`).join(" ");
  return [
    ...BASE,
    `(allow file-write* ${subpaths(access === "write" ? [workspace, scratch] : [scratch])})`,
    ...(guarded === "" ? [] : [`(deny file-write* ${guarded})`]),
    ...(readOnly.length === 0 ? [] : [`(deny file-write* ${subpaths(readOnly)})`]),
    ...(hidden.length === 0
      ? []
      : [`(deny file-read* file-write* ${subpaths(hidden.map(({ path }) => path))})`]),
  ].join("\n");
}

const BASE = [
  "(version 1)",
  "(deny default)",
  "(allow process-exec)",
  "(allow process-fork)",
  "(allow signal (target same-sandbox))",
  "(allow process-info* (target same-sandbox))",
  "(allow sysctl-read)",
  "(allow ipc-posix-sem)",
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
  "(allow file-read*)",
  '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (subpath "/dev/fd"))',
] as const;

/** A string of the profile language. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** A regular expression that matches only this text. */
function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
