import type { CommandTable } from "../command-spec.ts";
import type { Flag } from "../flag-spec.ts";
import type { ParsedFlags } from "../parse-flags.ts";
import { readSources, SERVER_FLAGS, type ServerSources } from "./common-flags.ts";
import { POLICY_FLAGS, type PolicyFlags, readPolicyFlags } from "./policy-flags.ts";
import { OPERATION_FLAGS, type Operations, readDrain, readOperations } from "./team/operation-flags.ts";
import { readToolsWords, TOOLS, type ToolsListing } from "./tools-words.ts";
import { readWait, waitFlag } from "./wait-flag.ts";

/** How clients reach `indus serve`: through its standard input and output, or over HTTP. */
type ServeTransport =
  | { readonly kind: "stdio" }
  | {
      readonly kind: "http";
      /** Absent: the default port, or a free one if that is in use. */
      readonly port?: number;
      readonly host?: string;
      /** The environment variable that holds the token. Never the token itself: other users can read a command line. */
      readonly tokenEnv?: string;
      /** No request is served without a token, also on this machine. */
      readonly requireToken?: boolean;
      /** How long running requests may go on at the end. Absent: the usual time. */
      readonly drainMs?: number;
    };

export interface ServeRequest extends Operations {
  readonly transport: ServeTransport;
  readonly sources: ServerSources;
  /** Serve the example servers too, and show how to connect clients. */
  readonly demo: boolean;
  /** Which of our own tools are offered. */
  readonly profile: ServeProfile;
  /** Which tools clients see in a list. */
  readonly listing: ToolsListing;
  /** What runs without a question. */
  readonly policy: PolicyFlags;
  /** End with the process that started the command, also at a port. Over stdio that is always so. */
  readonly withParent: boolean;
  /** Start each server with its first call, unless its row says otherwise. */
  readonly lazy: boolean;
  /** How long the first listing of a client waits for servers. Absent: by the client. */
  readonly waitMs?: number;
}

/** `read-only`: tools that change nothing. `full`: all native tools. `all`: the app cards too. `none`: only those of servers. */
const SERVE_PROFILES = ["read-only", "full", "all", "none"] as const;
export type ServeProfile = (typeof SERVE_PROFILES)[number];

export interface ServeRequests {
  readonly serve: ServeRequest;
}

const STDIO: Flag = {
  name: "--stdio",
  aliases: [],
  kind: "boolean",
  describe: "Serve over standard input and output.",
  excludes: ["--port", "--host", "--token-env", "--require-token", "--drain"],
};

const PORT: Flag = {
  name: "--port",
  aliases: [],
  kind: "number",
  value: "N",
  describe:
    "Serve at http://HOST:N/mcp: everything there, one server at /mcp/SERVER, a profile at /mcp/p/PROFILE. 0 picks a free port.",
  accepts: {
    describe: "a whole number from 0 to 65535",
    isValid: (text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535,
  },
};

const DEMO: Flag = {
  name: "--demo",
  aliases: [],
  kind: "boolean",
  describe: "Add three example servers and show how to connect clients. This machine only.",
  excludes: ["--host", "--token-env"],
};

const FLAGS: readonly Flag[] = [
  STDIO,
  PORT,
  {
    name: "--host",
    aliases: [],
    kind: "string",
    value: "HOST",
    describe:
      "Listen on this address instead of 127.0.0.1. Other machines need a token: see indus token add.",
  },
  {
    name: "--token-env",
    aliases: [],
    kind: "string",
    value: "VAR",
    describe: "Require a token: the one that this environment variable holds, or one of indus token add.",
  },
  {
    name: "--require-token",
    aliases: [],
    kind: "boolean",
    describe: "Serve no request without a token, also on this machine: for a gateway behind a proxy.",
  },
  waitFlag("The longest wait of a client's first tools/list for servers that start."),
  {
    name: "--with-parent",
    aliases: [],
    kind: "boolean",
    describe: "Stop when the process that started it ends, also with --port.",
  },
  {
    name: "--lazy",
    aliases: [],
    kind: "boolean",
    describe:
      "Start each server with its first call, and stop it when it is idle. Lists come from what the servers offered last time. Default: only those whose row says so.",
  },
  ...OPERATION_FLAGS,
  DEMO,
  {
    name: "--profile",
    aliases: [],
    kind: "string",
    value: "PROFILE",
    choices: SERVE_PROFILES,
    describe:
      "Our own tools to offer: read-only (the default), full (also write, edit, bash, process), all, or none. Over HTTP full and all need a token; if there is none, one is made and shown.",
  },
  ...POLICY_FLAGS,
  ...SERVER_FLAGS.map((flag) => (flag.name === TOOLS.name ? TOOLS : flag)),
];

/** `indus serve`. */
export const SERVE_COMMANDS: CommandTable<ServeRequests> = {
  serve: {
    needsOneOf: [STDIO, PORT, DEMO],
    summary:
      "Run an MCP server with native tools and the tools of all configured servers. Over stdio it stops when the process that started it ends; at a port it runs on.",
    flags: FLAGS,
    examples: ["indus serve --stdio --mcp servers.json", "indus serve --port 7717"],
    read: (flags) => {
      const transport = serveTransport(flags);
      const { tools = [], ...sources } = readSources(flags);
      const words = readToolsWords(tools);
      if ("problem" in words) return words;
      const { names, listing = "all" } = words;
      return {
        transport,
        sources: { ...sources, ...(names.length > 0 ? { tools: names } : {}) },
        listing,
        demo: flags.has("--demo"),
        // The parser has compared it with the table.
        profile: (flags.value("--profile") ?? "read-only") as ServeProfile,
        policy: readPolicyFlags(flags),
        withParent: flags.has("--with-parent"),
        lazy: flags.has("--lazy"),
        ...readOperations(flags),
        ...readWait(flags),
      };
    },
  },
};

function serveTransport(flags: ParsedFlags): ServeTransport {
  if (flags.has("--stdio")) return { kind: "stdio" };
  const [port, host] = [flags.number("--port"), flags.value("--host")];
  const tokenEnv = flags.value("--token-env");
  return {
    kind: "http",
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(tokenEnv === undefined ? {} : { tokenEnv }),
    ...(flags.has("--require-token") ? { requireToken: true } : {}),
    ...readDrain(flags),
  };
}
