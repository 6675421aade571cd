import { describeError, showDuration, withDeadline } from "../../core/index.ts";
import { declaredFor, taskKindIn } from "../content/index.ts";
import {
  Extension,
  type ItemKind,
  isProtocolFault,
  ProtocolFault,
  type RawResult,
  type Relay,
  type RelayListOptions,
  type RelayOptions,
  type ServerFleet,
  type ServerItems,
  type ServerSession,
} from "../contract/index.ts";
import { runLeased } from "../fleet/index.ts";
import { LegacyTasks } from "./legacy-tasks.ts";
import { listItems } from "./list-items.ts";
import { matchesUriTemplate } from "./match-uri-template.ts";
import { missingCapability, missingCapabilityMessage, type NeededCapability } from "./missing-capability.ts";
import { complete, getPrompt, type ItemRequestOptions, readResource, requestRounds } from "./read-item.ts";

const TIMEOUT_MS = 30_000;
const TASKS: NeededCapability = { capability: "extensions", feature: Extension.TASKS };
const LEGACY_TASKS: NeededCapability = { capability: "tasks" };
/** Waits for the result of a task. Only the legacy era has it. */
const WAIT = "tasks/result";
const SKILLS: NeededCapability = { capability: "extensions", feature: Extension.SKILLS };

/** Reads what the servers of a fleet have besides tools. */
export function createRelay(fleet: ServerFleet): Relay {
  const legacyTasks = new LegacyTasks(fleet);
  const relay: Relay = {
    list: (kind, options = {}) => {
      const servers = options.servers ?? enabledServers(fleet);
      return Promise.all(servers.map((server) => listOne(fleet, server, kind, options)));
    },
    ownersOf: async (uri, options) => {
      const listed = await relay.list("resources", options);
      const servers = ownersIn(listed, (item) => item["uri"] === uri);
      if (servers.length > 0) return { servers, by: "uri", unknown: failed(listed) };
      const templates = await relay.list("templates", options);
      const matching = ownersIn(templates, ({ uriTemplate }) => matchesUriTemplate(uriTemplate, uri));
      return { servers: matching, by: "template", unknown: failed(templates) };
    },
    readResource: (server, uri, options = {}) =>
      request(
        fleet,
        server,
        { capability: "resources" },
        {
          ...options,
          send: (session, read) => readResource(session, uri, read),
        },
      ),
    getPrompt: (server, prompt, options = {}) =>
      request(
        fleet,
        server,
        { capability: "prompts" },
        {
          ...options,
          send: (session, read) => getPrompt(session, prompt, read),
        },
      ),
    complete: (server, completion, options = {}) =>
      request(
        fleet,
        server,
        { capability: "completions" },
        {
          ...options,
          send: (session, read) => complete(session, completion, read),
        },
      ),
    task: (server, { method, params }, options = {}) =>
      request(fleet, server, undefined, {
        ...options,
        send: (session, asked) => {
          const isLegacy = taskKindIn(session.capabilities) === "legacy";
          if (isLegacy && session.era === "legacy")
            return legacyTasks.request(session, server, { method, params }, asked);
          if (isLegacy) {
            // Over a link. The process that owns the server translates, and keeps its questions until any of us brings the answers.
            if (method === WAIT) throw onlyStates(server);
            return requestRounds(session, method, params, asked);
          }
          requireCapability(session, server, method === WAIT ? LEGACY_TASKS : TASKS);
          const { stateOnly: _, ...own } = params;
          return requestRounds(session, method, own, asked);
        },
      }),
    forward: (server, { method, params }, options = {}) =>
      request(fleet, server, undefined, {
        ...options,
        send: (session, asked) => requestRounds(session, method, params, asked),
      }),
    skills: (server, { method, ...params }, options = {}) =>
      request(fleet, server, SKILLS, {
        ...options,
        send: (session, asked) => requestRounds(session, method, params, asked),
      }),
  };
  return relay;
}

function enabledServers(fleet: ServerFleet): string[] {
  return [...fleet.status()].filter(([, { state }]) => state !== "disabled").map(([server]) => server);
}

function ownersIn(
  lists: readonly ServerItems[],
  matches: (item: ServerItems["items"][number]) => boolean,
): string[] {
  return lists.filter(({ items }) => items.some(matches)).map(({ server }) => server);
}

function failed(lists: readonly ServerItems[]): readonly ServerItems[] {
  return lists.filter(({ fault }) => fault !== undefined);
}

async function listOne(
  fleet: ServerFleet,
  server: string,
  kind: ItemKind,
  options: RelayListOptions,
): Promise<ServerItems> {
  try {
    const list = await onSession(
      fleet,
      server,
      options,
      (session, { signal, caller, meta, timeoutMs, extensions }) =>
        listItems(session, kind, {
          server,
          signal,
          timeoutMs,
          meta,
          extensions: declaredFor(extensions),
          ...(caller && { caller }),
        }),
    );
    return { server, ...list };
  } catch (thrown) {
    options.signal?.throwIfAborted();
    return { server, items: [], fault: faultOf(server, thrown) };
  }
}

interface SentRequest extends RelayOptions {
  readonly send: (session: ServerSession, options: ItemRequestOptions) => Promise<RawResult>;
}

async function request(
  fleet: ServerFleet,
  server: string,
  needed: NeededCapability | undefined,
  { send, ...options }: SentRequest,
): Promise<RawResult> {
  try {
    return await onSession(fleet, server, options, (session, ready) => {
      if (needed) requireCapability(session, server, needed);
      const { caller, timeoutMs, extensions } = ready;
      return send(session, {
        ...ready,
        extensions: declaredFor(extensions),
        totalMs: timeoutMs,
        ...(caller && { onProgress: (note) => caller.progress?.(note) }),
      });
    });
  } catch (thrown) {
    options.signal?.throwIfAborted();
    throw faultOf(server, thrown);
  }
}

function requireCapability(session: ServerSession, server: string, needed: NeededCapability): void {
  const missing = missingCapability(session, needed);
  if (missing === undefined) return;
  const message = missingCapabilityMessage(server, missing);
  throw new ProtocolFault("protocol", message, { server, reason: "unsupported" });
}

function onlyStates(server: string): ProtocolFault {
  const message = `server "${server}" can only be asked for the state of a task from here`;
  return new ProtocolFault("protocol", message, { server, reason: "unsupported" });
}

/** The options of one request, with its deadline as a signal. */
interface ReadyOptions extends RelayOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Runs work on the session of a server. The deadline covers the wait for its start too. */
function onSession<Result>(
  fleet: ServerFleet,
  server: string,
  options: RelayOptions,
  work: (session: ServerSession, options: ReadyOptions) => Promise<Result>,
): Promise<Result> {
  const { signal, timeoutMs = TIMEOUT_MS } = options;
  const late = (): ProtocolFault =>
    new ProtocolFault("timeout", `server "${server}" did not answer within ${showDuration(timeoutMs)}`, {
      server,
    });
  return withDeadline({ signal, deadlineMs: timeoutMs, reason: late }, (deadline) => {
    const ready = { ...options, signal: deadline, timeoutMs };
    return runLeased(fleet, server, ready, async (endpoint) => work(endpoint.session(), ready));
  });
}

/** A refusal of the server is `protocol`: no tool was called. */
function faultOf(server: string, thrown: unknown): ProtocolFault {
  if (isProtocolFault(thrown))
    return thrown.kind === "tool_error"
      ? new ProtocolFault("protocol", thrown.message, { ...thrown.details, cause: thrown })
      : thrown;
  const message = `server "${server}" failed: ${describeError(thrown)}`;
  return new ProtocolFault("protocol", message, { server, cause: thrown });
}
