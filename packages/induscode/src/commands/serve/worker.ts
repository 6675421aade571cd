import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import {
  type ClusterPlace,
  type CommandSpec,
  CWD,
  clusterFlags,
  type Flag,
  KEY_FILE,
  type ParsedFlags,
} from "../../launch/internal.ts";

/** What a worker takes. */
export interface WorkerOptions {
  readonly labels: readonly string[];
  readonly capacity: number;
  readonly offeredVariables: readonly string[];
  readonly drainMs: number;
  readonly idleMs: number;
}

export interface WorkerCommand extends WorkerOptions {
  readonly address: ClusterPlace;
  readonly health?: { readonly host: string; readonly port: number } | undefined;
  readonly name?: string | undefined;
  readonly keyFile?: string | undefined;
}

const CAPACITY = 125;
const DRAIN_S = 30;
const IDLE_S = 300;
const MAX_S = 86_400;

function secondsOf(most: number): { readonly describe: string; isValid(text: string): boolean } {
  return {
    describe: `a number of seconds from 0 to ${most}`,
    isValid: (text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= most,
  };
}

function readPlace(text: string): WorkerCommand["health"] {
  const [, host = "127.0.0.1", port = ""] = /^(?:([^\s]+):)?(\d{1,5})$/.exec(text) ?? [];
  return port === "" || Number(port) > 65_535
    ? undefined
    : { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What people call a node. */
export const NODE_NAME: Flag = {
  name: "--name",
  aliases: [],
  kind: "string",
  value: "NAME",
  describe:
    "What to call this node, for example in indus cluster status. Default: the host and the process id.",
  accepts: { describe: "a name of A–Z a–z 0–9 . _ -", isValid: (text) => NAME.test(text) },
};

/** What a worker is and takes, also one that is a gateway as well. */
export const WORKER_FLAGS: readonly Flag[] = [
  {
    name: "--labels",
    aliases: [],
    kind: "list",
    value: "LABELS",
    describe: 'What this worker has, such as gpu: rows may ask for it with "placement".',
    accepts: { describe: "names of A–Z a–z 0–9 . _ -", isValid: (text) => NAME.test(text) },
  },
  {
    name: "--capacity",
    aliases: [],
    kind: "number",
    value: "N",
    describe: `How many servers it may own. Default: ${CAPACITY}.`,
    accepts: {
      describe: "a whole number from 1 to 10000",
      isValid: (text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 10_000,
    },
  },
  {
    name: "--offer-env",
    aliases: [],
    kind: "list",
    value: "NAMES",
    describe: "The variables of this worker that rows may refer to with ${NAME}. Default: none.",
    accepts: { describe: "names of variables", isValid: (text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) },
  },
  {
    name: "--idle",
    aliases: [],
    kind: "number",
    value: "SECONDS",
    describe: `Give up a server that no gateway is connected to for this long. Default: ${IDLE_S}.`,
    accepts: secondsOf(MAX_S),
  },
];

export const WORKER: CommandSpec<WorkerCommand> = {
  name: "worker",
  group: "team",
  summary:
    "Run servers of a cluster for its gateways, until it is stopped. It then moves them to other workers.",
  flags: [
    ...clusterFlags(
      "The NATS servers of the cluster, such as nats://127.0.0.1:4222; tls:// on other machines.",
    ),
    NODE_NAME,
    ...WORKER_FLAGS,
    {
      name: "--drain",
      aliases: [],
      kind: "number",
      value: "SECONDS",
      describe: `How long running calls may continue after the signal to stop. Default: ${DRAIN_S}.`,
      accepts: secondsOf(600),
    },
    {
      name: "--health",
      aliases: [],
      kind: "string",
      value: "[HOST:]PORT",
      describe: "Answer /healthz and /readyz here, for an orchestrator's probes. Default host: 127.0.0.1.",
      accepts: { describe: "a port, or HOST:PORT", isValid: (text) => readPlace(text) !== undefined },
    },
    {
      ...KEY_FILE,
      describe: `${KEY_FILE.describe.replace("With --cluster: a", "A")} With it this worker uses the logins of the cluster, instead of its own.`,
    },
    CWD,
  ],
  examples: [
    "indus worker --cluster nats://127.0.0.1:4222",
    "indus worker --cluster nats://127.0.0.1:4222 --labels gpu",
  ],
  read: (flags) => {
    const urls = flags.list("--cluster");
    if (urls.length === 0)
      return {
        problem: "worker needs --cluster and the URL of a NATS server, such as nats://127.0.0.1:4222",
      };
    return {
      address: { urls, creds: flags.value("--cluster-creds"), ca: flags.value("--cluster-ca") },
      name: flags.value("--name"),
      ...readWorker(flags),
      health: readPlace(flags.value("--health") ?? ""),
      keyFile: flags.value(KEY_FILE.name),
    };
  },
};

export function readWorker(flags: ParsedFlags): WorkerOptions {
  return {
    labels: flags.list("--labels"),
    capacity: flags.number("--capacity") ?? CAPACITY,
    offeredVariables: flags.list("--offer-env"),
    drainMs: Math.round((flags.number("--drain") ?? DRAIN_S) * 1_000),
    idleMs: Math.round((flags.number("--idle") ?? IDLE_S) * 1_000),
  };
}

/** `indus worker`. */
export async function worker(run: Run, request: WorkerCommand): Promise<number> {
  try {
    const { runWorker } = await import("../../cluster/internal.ts");
    const code = await runWorker(run, request, (id) => run.terminal.out(`worker ${id} is ready\n`));
    if (run.signal.aborted) run.report(`ending: ${describeError(run.signal.reason)}`);
    return code;
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}
