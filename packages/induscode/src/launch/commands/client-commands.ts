import type { CommandTable } from "../command-spec.ts";
import type { Flag } from "../flag-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";
import type { UsageProblem } from "../usage-problem.ts";
import { CWD, MCP, readSources, type ServerSources } from "./common-flags.ts";

/** The clients of `connect` and `mcp import`, as words of the command line. */
export const CLIENT_WORDS = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "windsurf",
  "codex",
  "gemini",
  "zed",
  "opencode",
] as const;

const SHELLS = ["bash", "zsh", "fish"] as const;

export interface ConnectRequest {
  readonly client: (typeof CLIENT_WORDS)[number];
  readonly scope: "user" | "project";
  readonly move: boolean;
  readonly undo: boolean;
  /** Show the change and write nothing. */
  readonly dryRun: boolean;
  /** Servers that the gateway gets on its command line. */
  readonly sources: ServerSources;
}

export interface InstallServiceRequest {
  readonly port: number;
  readonly sources: ServerSources;
  /** Write the file, and leave the service manager alone. */
  readonly onlyWrite: boolean;
}

export interface UninstallServiceRequest {
  readonly onlyWrite: boolean;
}

export interface CompletionRequest {
  readonly shell: (typeof SHELLS)[number];
}

export interface ClientRequests {
  readonly connect: ConnectRequest;
  readonly "service install": InstallServiceRequest;
  readonly "service uninstall": UninstallServiceRequest;
  readonly completion: CompletionRequest;
}

const SERVICE_PORT = 7717;

const PORT: Flag = {
  name: "--port",
  aliases: [],
  kind: "number",
  value: "N",
  describe: `The port on this machine. Default ${SERVICE_PORT}.`,
  accepts: {
    describe: "a whole number from 1 to 65535",
    isValid: (text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535,
  },
};

const ONLY_WRITE: Flag = {
  name: "--no-start",
  aliases: [],
  kind: "boolean",
  describe: "Change only the file, and leave the service manager alone.",
};

/** The commands that set up other programs. */
export const CLIENT_COMMANDS: CommandTable<ClientRequests> = {
  connect: {
    operands: "CLIENT",
    choices: CLIENT_WORDS,
    summary: `Let an MCP client start indus serve: writes its file, keeps a copy and shows the change. CLIENT is one of ${CLIENT_WORDS.join(", ")}.`,
    flags: [
      {
        name: "--scope",
        aliases: [],
        kind: "string",
        value: "SCOPE",
        choices: ["project", "user"],
        describe: "The client's file of the user (default) or of this project.",
      },
      {
        name: "--move",
        aliases: [],
        kind: "boolean",
        describe: "Also move the client's own servers behind indus: into your file.",
        excludes: ["--undo"],
      },
      { name: "--undo", aliases: [], kind: "boolean", describe: "Take it back, and return moved servers." },
      { name: "--dry-run", aliases: [], kind: "boolean", describe: "Show the change and write nothing." },
      MCP,
      CWD,
    ],
    examples: ["indus connect cursor", "indus connect codex --move", "indus connect codex --undo"],
    read: readConnect,
  },
  "service install": {
    summary: "Run indus serve --port in the background from your login on: systemd or launchd.",
    flags: [PORT, ONLY_WRITE, MCP, CWD],
    examples: ["indus service install", "indus service install --port 8080 --mcp servers.json"],
    read: (flags) => ({
      port: flags.number("--port") ?? SERVICE_PORT,
      sources: readSources(flags),
      onlyWrite: flags.has("--no-start"),
    }),
  },
  "service uninstall": {
    summary: "Stop that service and remove its file.",
    flags: [ONLY_WRITE],
    examples: ["indus service uninstall"],
    read: (flags) => ({ onlyWrite: flags.has("--no-start") }),
  },
  completion: {
    operands: "SHELL",
    choices: SHELLS,
    summary: `Print a script that completes the commands and flags of indus in ${SHELLS.join(", ")}.`,
    flags: [],
    examples: ["indus completion bash"],
    read: (flags) => {
      const word = oneWord(flags, "completion", SHELLS);
      return typeof word === "object" ? word : { shell: word };
    },
  },
};

function readConnect(flags: ParsedFlags): ConnectRequest | UsageProblem {
  const client = oneWord(flags, "connect", CLIENT_WORDS);
  if (typeof client === "object") return client;
  return {
    client,
    scope: flags.value("--scope") === "project" ? "project" : "user",
    move: flags.has("--move"),
    undo: flags.has("--undo"),
    dryRun: flags.has("--dry-run"),
    sources: readSources(flags),
  };
}

/** The one operand, which must be a known word. */
function oneWord<Word extends string>(
  flags: ParsedFlags,
  command: string,
  words: readonly Word[],
): Word | UsageProblem {
  const [word, surplus] = [...flags.operands, ...flags.afterEnd];
  if (word === undefined) return { problem: `${command} needs one of ${words.join(", ")}` };
  if (surplus !== undefined)
    return { problem: `${command} takes one word, not also ${JSON.stringify(surplus)}` };
  const known = words.find((each) => each === word);
  return (
    known ?? {
      problem: `${command} knows no ${JSON.stringify(word)}, only ${words.join(", ")}`,
      unknown: { word, known: words },
    }
  );
}
