import type { Run } from "../../boot/internal.ts";
import { completionScript } from "../../launch/completion/index.ts";
import {
  type CommandSpec,
  type CommandSpecs,
  NAME_KINDS,
  type NameKind,
  oneWord,
} from "../../launch/internal.ts";
import { findServers, knownToolNames } from "../../servers/internal.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

type CompletionRequest =
  | { readonly shell: (typeof SHELLS)[number] }
  /** The names that a script asks for. */
  | { readonly names: readonly NameKind[] };

export const COMPLETION: CommandSpec<CompletionRequest> = {
  name: "completion",
  group: "everyday",
  operands: "SHELL",
  choices: SHELLS,
  summary: `Print a completion script for ${SHELLS.join(", ")}. It completes commands, flags, and the names of this folder's servers and their known tools, which completion servers tools prints. Starts nothing.`,
  flags: [],
  examples: ["indus completion bash", "indus completion servers"],
  read: (flags) => {
    const words = [...flags.operands, ...flags.afterEnd];
    const names = NAME_KINDS.filter((kind) => words.includes(kind));
    if (names.length > 0 && names.length === words.length) return { names };
    const word = oneWord(flags, "completion", [...SHELLS, ...NAME_KINDS]);
    if (typeof word === "object") return word;
    const shell = SHELLS.find((each) => each === word);
    return shell ? { shell } : { names };
  },
};

/** `indus completion`: a script for a shell, or the names that such a script asks for. */
export async function completion(
  run: Run,
  request: CompletionRequest,
  commands: CommandSpecs,
): Promise<number> {
  const { terminal } = run;
  if ("shell" in request) {
    terminal.out(completionScript(commands, request.shell));
    return 0;
  }
  for (const name of await namesOf(run, request.names)) terminal.out(`${name}\n`);
  return 0;
}

/** Others would need quotes, and a project's file may contain anything: no shell can expand these. */
const PLAIN = /^\w[\w@%+./-]*$/;

/** The names of the configured servers, and of the tools that those which may be started listed last time. */
async function namesOf(run: Run, kinds: readonly NameKind[]): Promise<readonly string[]> {
  // The user is typing another command, which reports what is wrong.
  const quiet = { withoutRequired: true, bestEffort: true, report: () => {} };
  const found = await findServers(run, { mcp: [], run: [] }, quiet);
  const servers = (found?.servers ?? []).map(({ config }) => config);
  const ids = kinds.includes("servers") ? servers.map(({ id }) => id) : [];
  const started = servers.filter(({ pending = false }) => !pending);
  const tools = kinds.includes("tools") ? knownToolNames(started, await run.state.memory()) : [];
  return [...new Set([...ids, ...tools])].filter((name) => PLAIN.test(name));
}
