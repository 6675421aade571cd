import type { Environment } from "indusagi/core";
import {
  createProviderHost,
  type HostClient,
  type HttpListener,
  type ProviderHost,
  type ServerConfig,
  type ServerTimeouts,
  serveStdio,
} from "indusagi/interop";
import { createTableBox, type ToolBox } from "indusagi/runtime";
import type { ToolDeck } from "../deck/provision/index.ts";
import {
  askClient,
  EMPTY_PROVIDERS,
  type HttpTransport,
  listen,
  listingPatienceMs,
  madeToken,
  offeredBox,
  pacedBox,
  patientBox,
  prepareHttp,
  type ToolCost,
  toolCost,
} from "../gateway/index.ts";
import type { PolicyFlags, ServeProfile, ToolSelection, ToolsListing } from "../launch/internal.ts";
import { firstOf } from "./first-of.ts";
import { productVersion } from "./product-version.ts";
import type { OpenServers, OpenServersOptions } from "./servers/open-servers.ts";
import type { SessionToolsOptions } from "./session/build-session-tools.ts";

export interface GatewayOptions {
  readonly servers: readonly ServerConfig[];
  readonly transport: { readonly kind: "stdio" } | ({ readonly kind: "http" } & HttpTransport);
  /** For servers without time limits of their own. A call that passes such a limit counts as late, but is not ended. */
  readonly timeouts?: ServerTimeouts;
  /**
   * How long the first listing of a client waits for servers whose tools are not known from the last run. Default: by the
   * name of the client.
   */
  readonly waitMs?: number;
  /** Which of our own tools are offered. Default: `read-only`. */
  readonly profile?: ServeProfile;
  /** The filter of `--tools`. Default: none. */
  readonly selection?: Partial<ToolSelection>;
  /** Which tools clients see in a list. Default: all. */
  readonly listing?: ToolsListing;
  /** Default: calls that may change something need an approval. */
  readonly policy?: PolicyFlags;
}

/** Our own tools and the tools of all servers, ready to be served. It closes with its run. */
export interface Gateway {
  readonly servers: OpenServers;
  /** The token that clients must send, if one was made for this run. */
  readonly token?: string;
  /** What the tools that are there now cost a model, and what it saves to list them so. */
  toolCost(): ToolCost;
  /**
   * Starts the servers, and serves until the run's signal aborts or, over stdio, the input ends. Rejects when a required
   * server is down. `onListening` is called with the URL.
   */
  serve(onListening: (url: string) => void): Promise<void>;
}

/** The parts of a run that a gateway is made of. */
export interface GatewayRun {
  readonly signal: AbortSignal;
  readonly env: Environment;
  readonly report: (message: string) => void;
  readonly cwd: string;
  openServers(options: OpenServersOptions): Promise<OpenServers>;
  openLedger(box: ToolBox): Promise<unknown>;
  openSessionTools(
    selection: Partial<ToolSelection>,
    options: Omit<SessionToolsOptions, "cwd" | "report">,
  ): Promise<ToolDeck | undefined>;
  /** Closes something before everything that was opened earlier. */
  defer(close: () => void | Promise<void>): void;
}

/** Most clients send their first message at once. It is answered before we start processes and load the client library. */
const START_DELAY_MS = 50;
/** While servers start, clients are told about new tools at most once in this time. */
const CHANGES_MS = 2_000;

/**
 * Opens the tools of a gateway and does not wait for the servers: they start when it serves. Throws, with the remedy, if it
 * cannot be opened.
 */
export async function openGateway(
  run: GatewayRun,
  { servers: configs, transport, timeouts, waitMs, ...offered }: GatewayOptions,
): Promise<Gateway> {
  const { signal, report } = run;
  // First, so that no server is started for a token that does not exist.
  const token = neededToken(transport, offered.profile);
  const http =
    transport.kind === "http" ? prepareHttp({ ...transport, ...(token && { token }) }, run.env) : undefined;
  // The callers are not known yet. The host declines a question that its caller cannot answer.
  const relays = { elicit: { form: true, url: true }, sample: {} };
  let start = (): void => {};
  const startAfter = new Promise<void>((resolve) => (start = resolve));
  const startSoon = (): void => void setTimeout(start, START_DELAY_MS).unref();
  const servers = await run.openServers({
    servers: configs,
    report,
    relays,
    patience: "caller", // A client must not be cut off earlier than by the server itself.
    offerLastKnown: true,
    ...(waitMs === undefined ? {} : { requiredWaitMs: waitMs }),
    startAfter, // A client that connects must not wait while we start processes.
    ...(timeouts ? { timeouts } : {}),
  });
  if (configs.length > 0) recordTools(run, servers);
  const patient = patientBox(await gatedBox(run, servers.box, offered), {
    until: servers.learned,
    waitMs: waitMs ?? listingPatienceMs(),
  });
  const pace = { intervalMs: CHANGES_MS, from: servers.begun, until: servers.settled };
  // Outside the gate, so that the policy decides about the tool that is called.
  const box = offeredBox(patient, { mode: offered.listing, finish: (each) => pacedBox(each, pace) });
  const beforeFirstListing = async ({ client }: HostClient): Promise<void> => {
    start();
    await servers.begun;
    await firstOf([servers.learned], { signal, waitMs: waitMs ?? listingPatienceMs(client) });
  };
  return {
    servers,
    toolCost: () => toolCost(patient, offered.listing),
    ...(token === undefined ? {} : { token }),
    serve: async (onListening) => {
      const info = { name: "indus", title: "Indus", version: productVersion() };
      const host = createProviderHost(box, info, EMPTY_PROVIDERS, { report, beforeFirstListing });
      const down = servers.requiredDown.then((id) => {
        throw requiredIsDown(id);
      });
      const serving = http
        ? serveOverHttp(run, () => listen(host, http, report), { start: startSoon, onListening })
        : serveOverStdio(run, host, startSoon);
      await Promise.race([serving, down]);
    },
  };
}

/** What changes something on this machine is offered over HTTP only to clients that have a token. */
function neededToken(
  transport: GatewayOptions["transport"],
  profile: ServeProfile = "read-only",
): string | undefined {
  const isSafe = profile === "read-only" || profile === "none";
  return transport.kind === "stdio" || isSafe || transport.tokenEnv !== undefined ? undefined : madeToken();
}

const PROFILES = { "read-only": "authoring", full: "survey", all: "all", none: "none" } as const;

/** Run without a question: tools of servers, which the user approved, and the checklists, which change nothing else. */
const ALLOWED = ["*__*", "todo_set", "todo"];

const DEFAULT_POLICY: PolicyFlags = { mode: "default", allow: [], deny: [] };

/** Our own tools and those of the servers behind one gate. A call that needs an approval is put to the client's user. */
async function gatedBox(
  run: GatewayRun,
  mounted: ToolBox,
  { profile = "read-only", selection = {}, policy = DEFAULT_POLICY }: Partial<GatewayOptions>,
): Promise<ToolBox> {
  const [{ createPolicy, gate }, { effectOf }, { bridgeBoxSource }] = await Promise.all([
    import("../policy/index.ts"),
    import("../deck/provision/index.ts"),
    import("../deck/ledger/index.ts"),
  ]);
  const rules = createPolicy({
    cwd: run.cwd,
    effectOf,
    isApproved: () => true, // Nothing else is started.
    mode: policy.mode,
    allow: [...ALLOWED, ...policy.allow],
    deny: policy.deny,
    roots: "any", // The session itself refuses files outside the folder.
    places: { env: run.env },
  });
  const deck = await run.openSessionTools(selection, {
    profile: PROFILES[profile],
    mcp: bridgeBoxSource(mounted),
  });
  return deck ? gate(deck.intoToolBox(), rules, askClient) : createTableBox().box;
}

/** The disk is not waited for: clients get their tools at once. */
function recordTools(run: GatewayRun, servers: OpenServers): void {
  // It rejects only if the run ends in the meantime.
  void servers.begun.then(() => run.openLedger(servers.box)).catch(() => {});
}

function requiredIsDown(id: string): Error {
  return new Error(`server "${id}" is required, but it is down; correct it or set "required": false`);
}

async function serveOverHttp(
  run: GatewayRun,
  open: () => Promise<HttpListener>,
  { start, onListening }: { readonly start: () => void; readonly onListening: (url: string) => void },
): Promise<void> {
  const listener = await open();
  run.defer(() => listener.close());
  onListening(listener.url);
  start();
  await firstOf([], { signal: run.signal });
}

async function serveOverStdio(run: GatewayRun, host: ProviderHost, start: () => void): Promise<void> {
  const running = await serveStdio(host);
  run.defer(() => running.cancel());
  start();
  await firstOf([running.waiting()], { signal: run.signal });
}
