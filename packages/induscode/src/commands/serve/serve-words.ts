import type { HttpTransport } from "../../gateway/index.ts";
import {
  type ClusterPlace,
  type CommandSpec,
  clusterFlags,
  type Flag,
  KEY_FILE,
  LISTED_TOOLS,
  type ParsedFlags,
  POLICY_FLAGS,
  type PolicyFlags,
  readCluster,
  readListedTools,
  readPolicyFlags,
  readSources,
  readWait,
  SERVE_PROFILES,
  SERVER_FLAGS,
  type ServeProfile,
  type ServerSources,
  type ToolsListing,
  waitFlag,
} from "../../launch/internal.ts";
import { NODE_NAME, readWorker, WORKER_FLAGS, type WorkerOptions } from "./worker.ts";

/** How clients reach `indus serve`: through its standard input and output, or over HTTP. */
type ServeTransport =
  | { readonly kind: "stdio" }
  | (HttpTransport & {
      readonly kind: "http";
      /** Whether a browser gets the console. Default: yes. */
      readonly console?: boolean | undefined;
    });

export interface ServeRequest {
  readonly transport: ServeTransport;
  readonly sources: ServerSources;
  /** Serve the example servers too, and show how to connect clients. */
  readonly demo: boolean;
  /** Which native tools are offered. */
  readonly profile: ServeProfile;
  /** Which tools clients see in a list. */
  readonly listing: ToolsListing;
  /** What runs without a question. */
  readonly policy: PolicyFlags;
  /** Exit with the parent process, even at a port. Over stdio that is always the case. */
  readonly withParent: boolean;
  /** Start each server on its first call, unless its row says otherwise. */
  readonly lazy: boolean;
  /** How long a client's first listing waits for servers. Absent: depends on the client. */
  readonly waitMs?: number | undefined;
  /** Absent: text on standard error. */
  readonly log?: { readonly format: "text" | "json"; readonly file?: string } | undefined;
  /** A folder of skills to publish. */
  readonly skills?: string | undefined;
  /** Larger results, in bytes, are sent as a preview. Absent: never. */
  readonly previewOver?: number | undefined;
  readonly bareAppNames?: boolean | undefined;
  /** A longer call becomes a task for a client that follows tasks. Absent: never. */
  readonly taskAfterMs?: number | undefined;
  /** Be a gateway of this cluster. Absent: run the servers here. */
  readonly cluster?: ClusterGateway | undefined;
}

/** A gateway of a cluster. */
interface ClusterGateway {
  readonly address: ClusterPlace;
  readonly name?: string | undefined;
  readonly keyFile?: string | undefined;
  /** This process is a worker as well. */
  readonly worker?: WorkerOptions | undefined;
}

/** What a gateway of a cluster has from the cluster, or cannot have. */
const NOT_IN_CLUSTERS = ["--mcp", "--run", "--demo", "--cwd", "--skills", "--lazy", "--stdio"];

const STDIO: Flag = {
  name: "--stdio",
  aliases: [],
  kind: "boolean",
  describe: "Serve over standard input and output.",
  excludes: [
    "--port",
    "--host",
    "--token-env",
    "--require-token",
    "--max-sessions",
    "--drain",
    "--no-console",
  ],
};

const PORT: Flag = {
  name: "--port",
  aliases: [],
  triedAs: ["--http"],
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
  describe: "Add three example servers and show how to connect clients. Localhost only.",
  excludes: ["--host", "--token-env"],
};

const MAX_DRAIN_S = 600;
/** They would take 6 GB. */
const MAX_SESSIONS = 100_000;

export const SERVE: CommandSpec<ServeRequest> = {
  name: "serve",
  group: "everyday",
  needsOneOf: [STDIO, PORT, DEMO],
  summary:
    "Run an MCP server with native tools and the tools of all configured servers. Over stdio it exits with its parent process; at a port it keeps running.",
  flags: [
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
      describe: "Require a token: the value of this environment variable, or one made by indus token add.",
    },
    {
      name: "--require-token",
      aliases: [],
      kind: "boolean",
      describe: "Require a token even on localhost. For a gateway behind a proxy.",
    },
    {
      name: "--max-sessions",
      aliases: [],
      kind: "number",
      value: "N",
      describe:
        "How many sessions may be open at a time, about 60 KB each; a client over the limit is refused. Default: 1024, and 128 for each token.",
      accepts: {
        describe: `a whole number from 1 to ${MAX_SESSIONS}, for example 2000`,
        isValid: (text) => /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_SESSIONS,
      },
    },
    {
      name: "--no-console",
      aliases: [],
      kind: "boolean",
      describe: "Do not serve the console, the page that indus console opens.",
    },
    waitFlag("How long the first tools/list waits for starting servers."),
    {
      name: "--no-share",
      aliases: [],
      kind: "boolean",
      describe: "Run the servers in this process, even while your background gateway runs (see indus up).",
    },
    {
      name: "--with-parent",
      aliases: [],
      kind: "boolean",
      describe: "Exit with the parent process, even with --port.",
    },
    {
      name: "--lazy",
      aliases: [],
      kind: "boolean",
      describe:
        "Start each server on its first call and stop it when idle. Lists show what the servers offered last time. Default: only servers whose row says so.",
    },
    {
      name: "--log-format",
      aliases: [],
      kind: "string",
      value: "FORMAT",
      choices: ["text", "json"],
      describe:
        "The format of the log on standard error: text (the default), or json, with one object per line and a line for each call with the shape of its arguments.",
    },
    {
      name: "--log-file",
      aliases: [],
      kind: "string",
      value: "FILE",
      describe: "Append the log to this file instead of standard error.",
    },
    {
      name: "--preview-over",
      aliases: [],
      kind: "string",
      value: "SIZE",
      describe:
        "Send a preview instead of a larger result, with a link to the whole, which the tool read_result pages through and searches. Skips tools with an output schema. Default: never.",
      accepts: {
        describe: "a size from 1k to 100M, for example 50k",
        isValid: (text) => readSize(text) !== undefined,
      },
    },
    {
      name: "--bare-app-names",
      aliases: [],
      kind: "boolean",
      describe:
        "Let the pages of MCP Apps call tools by the names that these have on their servers, if only one server has the name. Only for clients that show apps. Default: no.",
    },
    {
      name: "--task-after",
      aliases: [],
      kind: "string",
      value: "TIME",
      describe:
        "Turn a call that takes longer into a task, for clients that follow tasks: they ask for the result later. Not at /mcp/SERVER. Default: never.",
      accepts: {
        describe: "a time from 1s to 10m, for example 30s",
        isValid: (text) => readTime(text) !== undefined,
      },
    },
    {
      name: "--skills",
      aliases: [],
      kind: "string",
      value: "FOLDER",
      describe: "Publish the skills in this folder: each is a folder in it with a SKILL.md.",
    },
    {
      name: "--drain",
      aliases: [],
      kind: "number",
      value: "SECONDS",
      describe:
        "How long running requests may continue after the signal to stop. Default: 0.5; with --cluster 30, because calls may wait for a server that moves.",
      accepts: {
        describe: `a number of seconds from 0 to ${MAX_DRAIN_S}, for example 10`,
        isValid: (text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= MAX_DRAIN_S,
      },
    },
    ...clusterFlags(
      "Be a gateway of a cluster: servers run on its workers, and servers and tokens come from its state. Takes its NATS servers, such as nats://127.0.0.1:4222; tls:// on other machines.",
      NOT_IN_CLUSTERS,
    ),
    {
      ...KEY_FILE,
      describe: `${KEY_FILE.describe} With it a client may answer a question at another gateway than the one that asked.`,
    },
    { ...NODE_NAME, describe: `With --cluster: ${NODE_NAME.describe}` },
    {
      name: "--worker",
      aliases: [],
      kind: "boolean",
      describe: "With --cluster: be a worker as well, see indus worker.",
    },
    ...WORKER_FLAGS.map((flag) => ({ ...flag, describe: `With --worker: ${flag.describe}` })),
    DEMO,
    {
      name: "--profile",
      aliases: [],
      kind: "string",
      value: "PROFILE",
      choices: SERVE_PROFILES,
      describe:
        "Native tools to offer: read-only (the default), full (adds write, edit, bash, process), all, or none. Over HTTP, full and all require a token; if there is none, one is made and printed.",
    },
    ...POLICY_FLAGS,
    ...SERVER_FLAGS.map((flag) => (flag.name === LISTED_TOOLS.name ? LISTED_TOOLS : flag)),
  ],
  examples: ["indus serve --stdio --mcp servers.json", "indus serve --port 7717"],
  read: (flags) => {
    const transport = serveTransport(flags);
    const { tools = [], ...sources } = readSources(flags);
    const words = readListedTools(tools);
    if ("problem" in words) return words;
    const { names, listing = "all" } = words;
    const address = readCluster(flags);
    const onlyThere = ["--cluster-creds", "--cluster-ca", "--key-file", "--name", "--worker"].find((name) =>
      flags.has(name),
    );
    if (!address && onlyThere !== undefined) return { problem: `${onlyThere} needs --cluster` };
    const ofWorkers = WORKER_FLAGS.find(({ name }) => flags.has(name));
    if (ofWorkers && !flags.has("--worker")) return { problem: `${ofWorkers.name} needs --worker` };
    const profile = flags.value("--profile");
    if (address && profile !== undefined && profile !== "none")
      return {
        problem: `--profile ${profile} cannot be used with --cluster: native tools work on the files of one machine`,
      };
    return {
      transport,
      sources: { ...sources, ...(names.length > 0 ? { tools: names } : {}) },
      listing,
      demo: flags.has("--demo"),
      // The parser has checked it.
      profile: (profile ?? (address ? "none" : "read-only")) as ServeProfile,
      cluster: address && {
        address,
        name: flags.value("--name"),
        keyFile: flags.value("--key-file"),
        worker: flags.has("--worker") ? readWorker(flags) : undefined,
      },
      policy: readPolicyFlags(flags),
      withParent: flags.has("--with-parent"),
      lazy: flags.has("--lazy"),
      log: readLog(flags),
      skills: flags.value("--skills"),
      previewOver: readSize(flags.value("--preview-over") ?? ""),
      bareAppNames: flags.has("--bare-app-names"),
      taskAfterMs: readTime(flags.value("--task-after") ?? ""),
      ...readWait(flags),
    };
  },
};

const CLUSTER_DRAIN_MS = 30_000;

function serveTransport(flags: ParsedFlags): ServeTransport {
  if (flags.has("--stdio")) return { kind: "stdio" };
  const drain = flags.number("--drain");
  return {
    kind: "http",
    port: flags.number("--port"),
    host: flags.value("--host"),
    tokenEnv: flags.value("--token-env"),
    requireToken: flags.has("--require-token"),
    drainMs: drain === undefined ? readCluster(flags) && CLUSTER_DRAIN_MS : Math.round(drain * 1_000),
    maxSessions: flags.number("--max-sessions"),
    console: flags.has("--no-console") ? false : undefined,
  };
}

function readLog(flags: ParsedFlags): ServeRequest["log"] {
  const [format, file] = [flags.value("--log-format"), flags.value("--log-file")];
  if (format === undefined && file === undefined) return undefined;
  return { format: format === "json" ? "json" : "text", ...(file === undefined ? {} : { file }) };
}

const UNITS: { readonly [unit: string]: number } = { "": 1, k: 1_000, m: 1_000_000 };
const SIZE = /^(\d{1,9})([km]?)b?$/i;
const [MIN_SIZE, MAX_SIZE] = [1_000, 100_000_000];

function readSize(text: string): number | undefined {
  const [, count, unit = ""] = SIZE.exec(text) ?? [];
  if (count === undefined) return undefined;
  const bytes = Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  return bytes >= MIN_SIZE && bytes <= MAX_SIZE ? bytes : undefined;
}

const TIME = /^(\d{1,6})(ms|s|m)$/;
const TIME_UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000 };
const [MIN_TASK_MS, MAX_TASK_MS] = [1_000, 600_000];

function readTime(text: string): number | undefined {
  const [, count, unit = ""] = TIME.exec(text) ?? [];
  const ms = Number(count) * (TIME_UNITS[unit] ?? Number.NaN);
  return ms >= MIN_TASK_MS && ms <= MAX_TASK_MS ? ms : undefined;
}
