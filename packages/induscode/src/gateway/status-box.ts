import { Listeners, shortenText, showName } from "indusagi/core";
import type { EndpointStatus, ServerFleet } from "indusagi/interop";
import {
  answeredOutcome,
  type Caller,
  createTableBox,
  type TableTool,
  type ToolBox,
  type ToolResult,
} from "indusagi/runtime";
import { LongRestarts } from "./long-restarts.ts";
import { type ServerTrouble, serverTroubles, type TroubleOptions } from "./server-troubles.ts";

export const STATUS_TOOL = "indus__status";

export interface StatusBoxOptions extends Omit<TroubleOptions, "isLongDown"> {
  /** How long a server may be restarted before it counts as down. Default 5 s: most restarts are quicker. */
  readonly graceMs?: number;
  /** Whether a client may know of a server. Default: of all. */
  readonly allows?: ((caller: Caller | undefined, server: string) => boolean) | undefined;
  /** Calls the listener when withheld prompts, left out items, or rows that cannot be used may be others than before. */
  readonly onReview?: (listener: () => void) => void;
}

const GRACE_MS = 5_000;
/** While many servers start, each of them has several states: those within this time are looked at together. */
const TOGETHER_MS = 50;

const DESCRIPTOR: TableTool["descriptor"] = {
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
  concerns(isMeant: (server: string) => boolean): boolean;
  /** Calls the listener when other servers need attention than before, as long as the fleet is used. */
  onConcern(listener: () => void): void;
}

/** A box with the tool `indus__status` while a server needs the attention of the user, and without any tool otherwise. */
export function statusBox(fleet: ServerFleet, options: StatusBoxOptions = {}): StatusBox {
  const { graceMs = GRACE_MS, onReview, allows = () => true, ...rest } = options;
  const restarts = new LongRestarts(graceMs, () => refresh());
  const isLongDown = (server: string): boolean => restarts.has(server);
  const troubles = (): readonly ServerTrouble[] => serverTroubles(fleet, { ...rest, isLongDown });
  const tool: TableTool = {
    descriptor: DESCRIPTOR,
    run: async ({ id }, _signal, caller) => {
      const known = troubles().filter(({ server }) => allows(caller, server));
      return answeredOutcome(id, resultOf(known));
    },
  };
  const table = createTableBox();
  const concerns = new Listeners();
  let concerned = "";
  /** The tools of a server changed, and with them perhaps what is withheld. */
  let isOutdated = false;
  const refreshNow = (): void => {
    isOutdated = false;
    const servers = troubles().map(({ server }) => server);
    table.replace(servers.length > 0 ? [tool] : []);
    const now = JSON.stringify(servers);
    if (now !== concerned) concerns.emit();
    concerned = now;
  };
  /** Many servers change in one turn when their tools of the last run are offered. A reader never gets an old state. */
  const refreshInTurn = (): void => {
    if (!isOutdated) queueMicrotask(() => isOutdated && refreshNow());
    isOutdated = true;
  };
  const refresh = atIntervals(refreshNow, TOGETHER_MS);
  const follow = (status: EndpointStatus): void => {
    restarts.note(status);
    refresh();
  };
  fleet.onStatus(follow);
  fleet.onChange(refreshInTurn);
  onReview?.(refreshNow);
  for (const status of fleet.status().values()) follow(status);
  refresh();
  return {
    ...table.box,
    descriptors: () => {
      if (isOutdated) refreshNow();
      return table.box.descriptors();
    },
    concerns: (isMeant) => troubles().some(({ server }) => isMeant(server)),
    onConcern: (listener) => void concerns.add(listener),
  };
}

/** Returns a function that does the work at once, or at the end of the interval if it was done within the last one. */
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

/** The text for a model names things shortly; the structured result has them whole. */
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
