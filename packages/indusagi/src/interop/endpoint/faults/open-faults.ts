import { escapeForDisplay, shellWord, shortenText, showDuration } from "../../../core/index.ts";
import { definedMembers, type Redactor } from "../../../core/internal.ts";
import { ProtocolFault, type ServerConfig, type StdioServerConfig } from "../../contract/index.ts";
import { faultAt } from "./error-faults.ts";
import { type ProcessRemains, processSummary } from "./process-remains.ts";
import { symptomsOf } from "./symptoms.ts";

interface FailedOpening {
  readonly config: ServerConfig;
  readonly remains: ProcessRemains;
  /** What is wrong with the standard output, or an empty string. */
  readonly printed: string;
  readonly redactor: Redactor;
}

/** The fault for a server that did not connect in time. */
export function connectTimeout(
  { config, remains, printed }: Omit<FailedOpening, "redactor">,
  connectMs: number,
): ProtocolFault {
  const { id: server } = config;
  const late = `did not connect within ${showDuration(connectMs)}`;
  const message = `server "${server}" ${late}${processSummary(remains)}${asEnd(printed)}`;
  return new ProtocolFault("timeout", message, { server, retrySafe: true, ...remains });
}

/** The fault for a server that could not be opened: its process exited, or an error was thrown. */
export function openFault(
  { config, remains, printed, redactor }: FailedOpening,
  thrown: unknown,
): ProtocolFault {
  const { id: server } = config;
  const install = missingProgram(config, thrown);
  const details = definedMembers({ retrySafe: true, ...remains, install });
  const kind = config.kind === "stdio" ? "spawn_failed" : "transport";
  const doing = remains.exit ? "exited before it was connected" : "could not be opened";
  return faultAt({ server, kind, doing, end: asEnd(printed), details, redactor }, thrown);
}

/** The fault for a server that is not approved; `undefined` if it may be started. */
export function untrustedServer({
  id: server,
  pending,
}: Pick<ServerConfig, "id" | "pending">): ProtocolFault | undefined {
  if (!pending) return undefined;
  const why = "comes with a project and is not approved, so it is not started";
  const message = `server "${server}" ${why}; to approve it, run: indus mcp trust ${shellWord(server)} (in a program: trustProject)`;
  return new ProtocolFault("not_connected", message, { server, reason: "untrusted", retrySafe: true });
}

function asEnd(text: string): string {
  return text === "" ? "" : `; ${text}`;
}

/** What to install for the commands that start most servers. */
const PART_OF: { readonly [program: string]: string } = {
  node: "Node.js",
  npm: "Node.js",
  npx: "Node.js",
  uv: "uv",
  uvx: "uv",
  python: "Python",
  python3: "Python",
  pipx: "pipx",
  bun: "Bun",
  bunx: "Bun",
  deno: "Deno",
  docker: "Docker",
  podman: "Podman",
  dotnet: "the .NET SDK",
  dnx: "the .NET SDK",
};

const MAX_PATH_CHARS = 200;

/** The remedy for a missing `cwd`, a misspelled well-known program, or one that is not in `PATH`; otherwise `undefined`. */
export function missingProgram(
  config: ServerConfig,
  thrown: unknown,
  path: string = process.env["PATH"] ?? "",
): string | undefined {
  if (config.kind !== "stdio" || symptomsOf(thrown).code !== "ENOENT") return undefined;
  if (!hasFolder(config)) return 'create that folder, or correct "cwd" in its configuration';
  const program = config.command.replace(/\.(exe|cmd)$/i, "");
  const product = Object.hasOwn(PART_OF, program) ? PART_OF[program] : undefined;
  if (product === undefined) {
    const meant = Object.keys(PART_OF).find((known) => isOneSlip(program, known));
    return meant === undefined
      ? undefined
      : `correct "command" in its configuration, or install ${escapeForDisplay(program)}: did you mean ${meant}?`;
  }
  const searched = escapeForDisplay(shortenText(config.env?.["PATH"] ?? path, MAX_PATH_CHARS));
  const install =
    product === program ? `install ${product}` : `install ${product}, which contains ${program}`;
  return `${install}, or write the full path of ${program} as "command": it is not in PATH (${searched})`;
}

/** Whether two words differ by one letter: missing, surplus, wrong, or swapped with the next. Very short words are too similar. */
function isOneSlip(typed: string, known: string): boolean {
  if (typed.length < 3 || Math.abs(typed.length - known.length) > 1) return false;
  let start = 0;
  while (start < known.length && typed[start] === known[start]) start += 1;
  const [left, meant] = [typed.slice(start), known.slice(start)];
  const isSwapped = left[0] === meant[1] && left[1] === meant[0] && left.slice(2) === meant.slice(2);
  return (
    left.slice(1) === meant.slice(1) ||
    left.slice(1) === meant ||
    left === meant.slice(1) ||
    (left.length > 1 && isSwapped)
  );
}

/** Node reports a missing working directory with the same code. */
function hasFolder({ cwd }: StdioServerConfig): boolean {
  return cwd === undefined || process.getBuiltinModule("node:fs").existsSync(cwd);
}
