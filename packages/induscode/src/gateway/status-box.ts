import { Listeners, shellWord, shortenText, showName } from "indusagi/core";
import type { EndpointStatus, ServerFleet } from "indusagi/interop";
import {
  answeredOutcome,
  type Caller,
  createTableBox,
  type Tool,
  type ToolBox,
  type ToolResult,
} from "indusagi/runtime";
import { type ServerReport, serverReport } from "../servers/doctor/index.ts";

export const STATUS_TOOL = "indus__status";

export interface StatusBoxOptions {
  /** The folder of the gateway, if the user may be in another one. */
  readonly cwd?: string | undefined;
  /** Messages about a server's withheld prompts, each with the command that approves the change. */
  readonly withheldPrompts?: ((server: string) => readonly string[]) | undefined;
  /** One line for each list with left-out items, except tools, which are in the status. */
  readonly leftOutItems?: ((server: string) => readonly string[]) | undefined;
  /** Why a server's row is unusable, if its last good form is used instead. */
  readonly rowProblem?: ((server: string) => string | undefined) | undefined;
  /** How long a server may restart before it counts as down. Default: 5 s; most restarts are quicker. */
  readonly graceMs?: number | undefined;
  /** Whether a client may know about a server. Default: about all. */
  readonly allows?: ((caller: Caller | undefined, server: string) => boolean) | undefined;
  /** Calls the listener when withheld prompts, left out items or unusable rows may have changed. */
  readonly onReview?: ((listener: () => void) => void) | undefined;
}

const GRACE_MS = 5_000;
/** A starting server changes its state several times; changes within this time are handled together. */
const TOGETHER_MS = 50;

const DESCRIPTOR: Tool["descriptor"] = {
  name: STATUS_TOOL,
  title: "Servers that need attention",
  description:
    "Lists the servers of this gateway that cannot be used now, whose configuration is wrong, whose definitions are malformed or whose tools are quarantined: which, why, and the command that the user can run. It is offered only while there are any.",
  parameters: { type: "object", properties: {} },
  outputSchema: {
    type: "object",
    properties: {
      servers: {
        type: "array",
        items: {
          type: "object",
          properties: {
            server: { type: "string" },
            state: {
              enum: ["down", "needs login", "not approved", "misconfigured", "malformed", "quarantined"],
            },
            reason: { type: "string" },
            command: { type: "string" },
          },
          required: ["server", "state", "reason", "command"],
        },
      },
    },
    required: ["servers"],
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

/** The box of the status, and what decides who is offered its tool. */
export interface StatusBox extends ToolBox {
  /** Whether one of these servers needs attention. */
  concerns(includes: (server: string) => boolean): boolean;
  /** Calls the listener when the servers that need attention change, for as long as the fleet is used. */
  onConcern(listener: () => void): void;
}

/** A box that has the tool `indus__status` while a server needs the user's attention, and is empty otherwise. */
export function statusBox(fleet: ServerFleet, options: StatusBoxOptions = {}): StatusBox {
  const { graceMs = GRACE_MS, onReview, allows = () => true, ...rest } = options;
  const restarts = new LongRestarts(graceMs, (server) => {
    known.forget(server);
    refresh();
  });
  const isLongDown = (server: string): boolean => restarts.has(server);
  const known = new KnownTroubles(fleet, { ...rest, isLongDown });
  const tool: Tool = {
    descriptor: DESCRIPTOR,
    run: async ({ id }, _signal, caller) => {
      known.forget();
      return answeredOutcome(id, resultOf(known.all().filter(({ server }) => allows(caller, server))));
    },
  };
  const table = createTableBox();
  const concerns = new Listeners();
  let concerned = "";
  /** The tools of a server changed, so what is withheld may have changed too. */
  let isOutdated = false;
  const refreshNow = (): void => {
    isOutdated = false;
    const servers = known.all().map(({ server }) => server);
    table.replace(servers.length > 0 ? [tool] : []);
    const now = JSON.stringify(servers);
    if (now !== concerned) concerns.emit();
    concerned = now;
  };
  /** Batches changes of one turn: offering the last run's tools changes many servers. Readers never see an old state. */
  const refreshInTurn = (): void => {
    if (!isOutdated) queueMicrotask(() => isOutdated && refreshNow());
    isOutdated = true;
  };
  const refresh = atIntervals(refreshNow, TOGETHER_MS);
  const follow = (status: EndpointStatus): void => {
    restarts.note(serverReport(status));
    known.forget(status.server);
    refresh();
  };
  fleet.onStatus(follow);
  fleet.onChange(({ server }) => {
    known.forget(server);
    refreshInTurn();
  });
  onReview?.(() => {
    known.forget();
    refreshNow();
  });
  for (const status of fleet.status().values()) follow(status);
  refresh();
  return {
    ...table.box,
    descriptors: () => {
      if (isOutdated) refreshNow();
      return table.box.descriptors();
    },
    concerns: (includes) => known.all().some(({ server }) => includes(server)),
    onConcern: (listener) => void concerns.add(listener),
  };
}

/** Which servers have been restarting long enough to count as down. */
class LongRestarts {
  readonly #graceMs: number;
  readonly #onLong: (server: string) => void;
  /** When each restarting server was first seen restarting. */
  readonly #sinceMs = new Map<string, number>();

  /** `onLong` is called when a server's grace time may be over. */
  constructor(graceMs: number, onLong: (server: string) => void) {
    this.#graceMs = graceMs;
    this.#onLong = onLong;
  }

  note({ server, standing }: ServerReport): void {
    if (standing !== "restarting") this.#sinceMs.delete(server);
    else if (!this.#sinceMs.has(server)) {
      this.#sinceMs.set(server, performance.now());
      setTimeout(() => this.#onLong(server), this.#graceMs + 1).unref();
    }
  }

  has(server: string): boolean {
    const sinceMs = this.#sinceMs.get(server);
    return sinceMs !== undefined && performance.now() - sinceMs >= this.#graceMs;
  }
}

/** Throttles `work`: runs it immediately, or at the end of the interval if it ran within the last one. */
function atIntervals(work: () => void, intervalMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const request = (): void => {
    isDue = timer !== undefined;
    if (isDue) return;
    work();
    timer = setTimeout(() => {
      timer = undefined;
      if (isDue) request();
    }, intervalMs).unref();
  };
  return request;
}

/** Why a server, or a part of it, cannot be used. */
interface ServerTrouble {
  readonly server: string;
  readonly state: "down" | "needs login" | "not approved" | "misconfigured" | "malformed" | "quarantined";
  /** One line, with the fix if it is known. */
  readonly reason: string;
  /** The command that the user runs. */
  readonly command: string;
}

interface TroubleOptions
  extends Pick<StatusBoxOptions, "cwd" | "withheldPrompts" | "leftOutItems" | "rowProblem"> {
  /** Whether a server that is being restarted counts as down. */
  readonly isLongDown: (server: string) => boolean;
}

/**
 * What needs the user's action. Kept per server: while many servers start, each changes its state several times, and most of
 * them need none.
 */
class KnownTroubles {
  readonly #fleet: ServerFleet;
  readonly #options: TroubleOptions;
  readonly #known = new Map<string, readonly ServerTrouble[]>();

  constructor(fleet: ServerFleet, options: TroubleOptions) {
    this.#fleet = fleet;
    this.#options = options;
  }

  /** In configuration order. */
  all(): readonly ServerTrouble[] {
    return this.#fleet.endpoints().flatMap(({ config: { id } }) => this.#of(id));
  }

  /** A server has changed; without one, anything may have. */
  forget(server?: string): void {
    if (server === undefined) this.#known.clear();
    else this.#known.delete(server);
  }

  #of(server: string): readonly ServerTrouble[] {
    const known = this.#known.get(server);
    if (known) return known;
    const status = this.#fleet.statusOf(server);
    const found = status ? serverTroubles(this.#fleet, status, this.#options) : [];
    this.#known.set(server, found);
    return found;
  }
}

/** Disabled and starting servers need no action. */
function serverTroubles(
  fleet: ServerFleet,
  status: EndpointStatus,
  options: TroubleOptions,
): readonly ServerTrouble[] {
  const { server } = status;
  const trouble = troubleOf(status, options);
  const problem = options.rowProblem?.(server);
  const withheld = [
    ...fleet.withheld(server).map(({ message }) => message),
    ...(options.withheldPrompts?.(server) ?? []),
  ];
  const leftOut = [...(status.leftOut ?? []), ...(options.leftOutItems?.(server) ?? [])];
  return [
    ...(trouble ? [trouble] : []),
    ...(problem === undefined ? [] : [misconfigured(server, problem, options)]),
    ...leftOut.map((reason) => malformed(server, reason, options)),
    ...withheld.map((message) => quarantined(server, message, options)),
  ];
}

function troubleOf(status: EndpointStatus, { cwd, isLongDown }: TroubleOptions): ServerTrouble | undefined {
  const report = serverReport(status);
  const { server, summary: reason, command } = report;
  const state = troubleState(report, isLongDown);
  return state && { server, state, reason, command: commandOf(command, cwd) };
}

function troubleState(
  { server, standing, isDown }: ServerReport,
  isLongDown: TroubleOptions["isLongDown"],
): ServerTrouble["state"] | undefined {
  if (standing === "needs_login") return "needs login";
  if (standing === "untrusted") return "not approved";
  return isDown || (standing === "restarting" && isLongDown(server)) ? "down" : undefined;
}

/** The command does not name the server: doctor would not find its unusable row. */
function misconfigured(server: string, reason: string, { cwd }: TroubleOptions): ServerTrouble {
  return { server, state: "misconfigured", reason, command: commandOf(["indus", "mcp", "doctor"], cwd) };
}

function malformed(server: string, reason: string, { cwd }: TroubleOptions): ServerTrouble {
  return { server, state: "malformed", reason, command: commandOf(["indus", "mcp", "doctor", server], cwd) };
}

/** The message ends with the command that approves the change. */
function quarantined(server: string, message: string, { cwd }: TroubleOptions): ServerTrouble {
  const [, own] = /: (indus mcp approve .+)$/.exec(message) ?? [];
  const command = own ?? commandOf(["indus", "mcp", "approve", server], cwd);
  return { server, state: "quarantined", reason: message, command };
}

function commandOf(words: readonly string[], cwd: string | undefined): string {
  const folder = cwd === undefined ? [] : ["--cwd", cwd];
  return [...words, ...folder].map(shellWord).join(" ");
}

/** Shortens the text for a model; the structured result is complete. */
function cut(text: string): string {
  return shortenText(text, MAX_LINE_CHARS);
}

const MAX_LINE_CHARS = 1_000;

function resultOf(troubles: readonly ServerTrouble[]): ToolResult {
  const lines = troubles.map(
    ({ server, state, reason, command }) =>
      `- ${JSON.stringify(showName(server))} ${state === "down" ? "is down" : state}: ${cut(reason)}\n  Run: ${cut(command)}`,
  );
  const text = lines.length === 0 ? "All servers that you may use can be used." : lines.join("\n");
  return { content: [{ kind: "text", text }], structured: { servers: troubles } };
}
