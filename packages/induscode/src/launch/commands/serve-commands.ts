import type { CommandTable } from "../command-spec.ts";
import type { Flag } from "../flag-spec.ts";
import { mainFlag } from "../flag-table.ts";
import type { ParsedFlags } from "../parse-flags.ts";
import { TOOL_NAMES } from "../tool-names.ts";
import type { UsageProblem } from "../usage-problem.ts";
import { readSources, SERVER_FLAGS, type ServerSources } from "./common-flags.ts";
import { POLICY_FLAGS, type PolicyFlags, readPolicyFlags } from "./policy-flags.ts";

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
    };

export interface ServeRequest {
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

/** `all`: every tool. `search`: a few, and a search for the others. `auto`: the search for a client that cannot take all. */
const TOOLS_LISTINGS = ["all", "search", "auto"] as const;
export type ToolsListing = (typeof TOOLS_LISTINGS)[number];

function isListing(word: string): word is ToolsListing {
  return TOOLS_LISTINGS.some((listing) => listing === word);
}

export interface ServeRequests {
  readonly serve: ServeRequest;
}

const STDIO: Flag = {
  name: "--stdio",
  aliases: [],
  kind: "boolean",
  describe: "Serve over standard input and output.",
  excludes: ["--port", "--host", "--token-env"],
};

const PORT: Flag = {
  name: "--port",
  aliases: [],
  kind: "number",
  value: "N",
  describe: "Serve at http://HOST:N/mcp. 0 picks a free port.",
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

/** The flag that chooses tools everywhere. Here one of its words may say how they are listed: no tool has such a name. */
const TOOLS: Flag = {
  ...mainFlag("--tools"),
  value: "HOW",
  describe:
    "How tools are listed: all (the default), search (a few, and a search for the others) or auto (search for a client that cannot take all). More words choose tools as elsewhere: search,read,notes__*.",
  accepts: {
    describe: `${TOOLS_LISTINGS.join(", ")}, and ${TOOL_NAMES.describe}`,
    known: [...TOOLS_LISTINGS, ...(TOOL_NAMES.known ?? [])],
    isValid: (word) => isListing(word) || TOOL_NAMES.isValid(word),
  },
};

const FLAGS: readonly Flag[] = [
  STDIO,
  PORT,
  {
    name: "--host",
    aliases: [],
    kind: "string",
    value: "HOST",
    describe: "Listen on this address instead of 127.0.0.1. Other machines need a token.",
  },
  {
    name: "--token-env",
    aliases: [],
    kind: "string",
    value: "VAR",
    describe: "Require the bearer token that this environment variable holds.",
  },
  {
    name: "--wait",
    aliases: [],
    kind: "number",
    value: "SECONDS",
    describe: "The longest wait of a client's first tools/list for servers that start.",
    accepts: {
      describe: "a number of seconds from 0 to 600, for example 5",
      isValid: (text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= 600,
    },
  },
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
  DEMO,
  {
    name: "--profile",
    aliases: [],
    kind: "string",
    value: "PROFILE",
    choices: SERVE_PROFILES,
    describe:
      "Our own tools to offer: read-only (the default), full (also write, edit, bash, process), all, or none. Over HTTP full and all need a token; without --token-env one is made and shown.",
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
      if ("problem" in transport) return transport;
      const wait = flags.number("--wait");
      const { tools = [], ...sources } = readSources(flags);
      const names = tools.filter((word) => !isListing(word));
      const [listing = "all", another] = new Set(tools.filter(isListing));
      if (another !== undefined) return { problem: `--tools ${listing},${another}: choose one of them` };
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
        ...(wait === undefined ? {} : { waitMs: Math.round(wait * 1000) }),
      };
    },
  },
};

function serveTransport(flags: ParsedFlags): ServeTransport | UsageProblem {
  if (flags.has("--stdio")) return { kind: "stdio" };
  const [port, host] = [flags.number("--port"), flags.value("--host")];
  const tokenEnv = flags.value("--token-env");
  if (host !== undefined && !isLoopback(host) && tokenEnv === undefined)
    return { problem: `serve --host ${host} is open to other machines and needs --token-env VAR` };
  return {
    kind: "http",
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(tokenEnv === undefined ? {} : { tokenEnv }),
  };
}

/** An early check for a clear message; the listener refuses as well. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
