import { mountProtocolBridge, type ServerConfig, wireName } from "indusagi/interop";
import type { ToolBox, ToolOutcome } from "indusagi/runtime";
import { inParallel } from "../in-parallel.ts";
import { callIn, launchOf, type Scratch } from "../scratch.ts";
import type { FleetServer, HarmlessCall } from "../server-list.ts";
import { type CallAnswer, type Observed, plainError, type ToolDefinition } from "./observation.ts";

export interface MountedOptions {
  readonly scratch: Scratch;
  readonly mark: string;
}

/** As `indus serve`: see `CAPABILITIES` of the official client. */
const RELAYS = { elicit: { form: true, url: true }, sample: {}, roots: true };

const CALLS_AT_ONCE = 2;
const CALL_MS = 30_000;

/** Mounts all servers at once with the library, and calls one tool of each. */
export async function observeMounted(
  servers: readonly FleetServer[],
  { scratch, mark }: MountedOptions,
): Promise<ReadonlyMap<string, Observed>> {
  const { box, fleet } = await mountProtocolBridge({ servers: [] }, { relays: RELAYS, supervision: false });
  const observed = new Map<string, Observed>();
  const startMs = performance.now();
  const add = async (server: FleetServer): Promise<number> => {
    await fleet.addServer(configOf(server, scratch, mark));
    return performance.now() - startMs;
  };
  try {
    const times = await Promise.all(servers.map(add));
    const calls = servers.map((server, index) => ({ server, readyMs: times[index] ?? 0 }));
    await inParallel(calls, CALLS_AT_ONCE, async ({ server, readyMs }) => {
      const status = fleet.status().get(server.name);
      if (status?.phase !== "ready") {
        observed.set(server.name, { failure: status?.summary ?? "not in the fleet" });
        return;
      }
      const tools = box
        .descriptors()
        .flatMap(({ origin, definition }) =>
          origin?.server === server.name && definition ? [definition as ToolDefinition] : [],
        );
      const answer = server.call && (await call(box, server.name, callIn(scratch, server.call)));
      observed.set(server.name, { tools, readyMs, ...(answer ? { answer } : {}) });
    });
    return observed;
  } finally {
    await fleet.tearDown();
  }
}

function configOf(server: FleetServer, scratch: Scratch, mark: string): ServerConfig {
  return { id: server.name, kind: "stdio", ...launchOf(server, scratch, mark) };
}

async function call(
  box: ToolBox,
  server: string,
  { tool, arguments: input }: HarmlessCall,
): Promise<CallAnswer> {
  const name = wireName({ server, name: tool });
  return answerOf(await box.runner.run({ id: "1", name, input }, AbortSignal.timeout(CALL_MS)));
}

function answerOf({ wire, fault, output }: ToolOutcome): CallAnswer {
  if (fault?.rpc) return { error: plainError(fault.rpc) };
  if (wire && !fault) return { result: wire.value() };
  return { failure: typeof output === "string" ? output : JSON.stringify(output) };
}
