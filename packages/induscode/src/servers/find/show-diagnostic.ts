import { relative } from "node:path";
import type { ConfigDiagnostic } from "indusagi/config";

/** In the format of compilers, so editors can jump to the line. `from` is the user's folder, if it is not that of this process. */
export function showDiagnostic(
  { severity, file = "", line, message }: ConfigDiagnostic,
  from: string = "",
): string {
  // It is about an environment variable.
  if (file === "") return message;
  // What the user typed on the command line has no lines.
  if (file.startsWith("-")) return `${file}: ${message}`;
  const near = relative(from, file);
  const shown = near === "" || near.startsWith("..") ? file : near;
  return `${shown}:${line}: ${severity}: ${message}`;
}
