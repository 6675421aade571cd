import type { ServerContext } from "@modelcontextprotocol/server";
import type { LogEntry, ProgressNote } from "../../runtime/index.ts";

/** One request and its answer on the wire, as an outlet for what a running tool has to say meanwhile. */
export interface Round {
  readonly signal: AbortSignal;
  progress(note: ProgressNote): void;
  log(entry: LogEntry): void;
}

/** The outlet of one request. What cannot be delivered is dropped: the client is gone or does not want it. */
export function roundOf(ctx: ServerContext): Round {
  const { signal, _meta } = ctx.mcpReq;
  const token = _meta?.progressToken;
  return {
    signal,
    progress: (note) => {
      if (token === undefined) return;
      const params = { ...note, progressToken: token };
      ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(dropped);
    },
    log: ({ level, data, logger }) => {
      ctx.mcpReq.log(level, data, logger).catch(dropped);
    },
  };
}

function dropped(): void {}
