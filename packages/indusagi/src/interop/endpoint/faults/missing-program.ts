import { escapeForDisplay, shortenText } from "../../../core/index.ts";
import type { ServerConfig, StdioServerConfig } from "../../contract/index.ts";
import { symptomsOf } from "./symptoms.ts";

/** What to install for the programs that start most servers. */
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

/** The remedy for a `cwd` that does not exist, or a well-known program that is not in `PATH`; otherwise `undefined`. */
export function missingProgram(
  config: ServerConfig,
  thrown: unknown,
  path: string = process.env["PATH"] ?? "",
): string | undefined {
  if (config.kind !== "stdio" || symptomsOf(thrown).code !== "ENOENT") return undefined;
  if (!hasFolder(config)) return 'create that folder, or correct "cwd" in its configuration';
  const program = config.command.replace(/\.(exe|cmd)$/i, "");
  const product = Object.hasOwn(PART_OF, program) ? PART_OF[program] : undefined;
  if (product === undefined) return undefined;
  const searched = escapeForDisplay(shortenText(config.env?.["PATH"] ?? path, MAX_PATH_CHARS));
  const install =
    product === program ? `install ${product}` : `install ${product}, which contains ${program}`;
  return `${install}, or write the full path of ${program} as "command": it is not in PATH (${searched})`;
}

/** Node reports a missing working directory with the same code. */
function hasFolder({ cwd }: StdioServerConfig): boolean {
  return cwd === undefined || process.getBuiltinModule("node:fs").existsSync(cwd);
}
