import { batch, computed, signal } from "@preact/signals";
import type {
  CallOutcome,
  ConnectedClient,
  ConsoleCall,
  ConsoleFolder,
  Problem,
  ProcessUse,
  ServerLogLine,
  ServerSummary,
  Snapshot,
  StreamEvent,
  ToolCost,
} from "../src/console/contract.ts";
import { showFolders } from "./access.ts";

/** Calls kept in the page. */
const MAX_CALLS = 5_000;
const MAX_LOG_LINES = 2_000;

export const isLoaded = signal(false);
export const folder = signal<ConsoleFolder | undefined>(undefined);
export const version = signal("");
export const startedAt = signal("");
export const problems = signal<readonly Problem[]>([]);
export const servers = signal<readonly ServerSummary[]>([]);
export const clients = signal<readonly ConnectedClient[]>([]);
export const cost = signal<ToolCost | undefined>(undefined);
const waiting = signal<{ readonly [server: string]: number }>({});
export const gateway = signal<ProcessUse | undefined>(undefined);
export const listener = signal({ sessions: 0, requests: 0, streams: 0 });
/** Newest last. A new array for each batch. */
export const calls = signal<readonly ConsoleCall[]>([]);
/** How many calls the gateway left out of the stream, because there were too many at once. */
export const droppedCalls = signal(0);
/** Counts up whenever tools of a server changed: views that show them load again. */
export const toolChanges = signal<{ readonly [server: string]: number }>({});
/** Counts up whenever something was held, approved or refused, or tools came and went. */
export const ledgerChanges = signal(0);
export const logs = signal<{ readonly [server: string]: readonly ServerLogLine[] }>({});

export const waitingCount = computed(() => Object.values(waiting.value).reduce((sum, part) => sum + part, 0));
export const serverById = computed(() => new Map(servers.value.map((server) => [server.id, server])));

const ids = new Set<string>();

/** A request may be sent twice with the same id. */
export const callKey = ({ id, at }: ConsoleCall): string => `${id} ${at}`;

/** A call that waits for its user, or that its client ended, did not fail. */
export const isFailure = (outcome: CallOutcome): boolean =>
  outcome !== "ok" && outcome !== "asked" && outcome !== "cancelled";

/** Another folder is shown from now on. */
export function forgetFolder(): void {
  isLoaded.value = false;
  logs.value = {};
  droppedCalls.value = 0;
}

export function showSnapshot(snapshot: Snapshot): void {
  batch(() => {
    folder.value = snapshot.folder;
    version.value = snapshot.version;
    startedAt.value = snapshot.startedAt;
    problems.value = snapshot.problems;
    servers.value = byName(snapshot.servers);
    clients.value = snapshot.clients;
    cost.value = snapshot.cost;
    waiting.value = snapshot.waiting;
    gateway.value = snapshot.gateway;
    listener.value = snapshot.listener;
    ids.clear();
    for (const call of snapshot.calls) ids.add(callKey(call));
    calls.value = snapshot.calls;
    ledgerChanges.value++;
    isLoaded.value = true;
  });
}

/** Takes what happened since. */
export function showEvents(events: readonly StreamEvent[]): void {
  batch(() => {
    const newCalls: ConsoleCall[] = [];
    for (const event of events) {
      if (event.type === "calls") {
        newCalls.push(...event.calls);
        droppedCalls.value += event.dropped;
      } else showEvent(event);
    }
    addCalls(newCalls);
  });
}

function showEvent(event: Exclude<StreamEvent, { readonly type: "calls" }>): void {
  switch (event.type) {
    case "servers": {
      const changed = new Map(event.servers.map((server) => [server.id, server]));
      const kept = servers.value.filter(({ id }) => !changed.has(id));
      servers.value = byName([...kept, ...changed.values()]);
      return;
    }
    case "removed":
      servers.value = servers.value.filter(({ id }) => !event.servers.includes(id));
      return;
    case "problems":
      problems.value = event.problems;
      return;
    case "tools": {
      const counts = event.servers.map((server) => [server, (toolChanges.value[server] ?? 0) + 1]);
      toolChanges.value = { ...toolChanges.value, ...Object.fromEntries(counts) };
      cost.value = event.cost;
      ledgerChanges.value++;
      return;
    }
    case "clients":
      clients.value = event.clients;
      return;
    case "waiting":
      waiting.value = event.waiting;
      ledgerChanges.value++;
      return;
    case "processes":
      gateway.value = event.gateway;
      servers.value = servers.value.map((server) => ({ ...server, process: event.servers[server.id] }));
      return;
    case "log":
      addLogLines(event.lines);
      return;
    case "folders":
      showFolders(event.folders);
      return;
    case "hello":
    case "keep-alive":
      return;
  }
}

function addCalls(added: readonly ConsoleCall[]): void {
  const fresh = added.filter((call) => !ids.has(callKey(call)));
  if (fresh.length === 0) return;
  for (const call of fresh) ids.add(callKey(call));
  const all = [...calls.value, ...fresh];
  for (const call of all.slice(0, -MAX_CALLS)) ids.delete(callKey(call));
  calls.value = all.slice(-MAX_CALLS);
  countCalls(fresh);
}

/** Adds calls to the sparklines, until the gateway sends the server again. */
function countCalls(fresh: readonly ConsoleCall[]): void {
  const touched = new Set(fresh.map(({ server }) => server));
  servers.value = servers.value.map((server) => {
    if (!touched.has(server.id)) return server;
    const { fromMs, bucketMs } = server.activity;
    let counts = [...server.activity.calls];
    let errors = [...server.activity.errors];
    let from = fromMs;
    for (const call of fresh) {
      if (call.server !== server.id) continue;
      let at = Math.floor((Date.parse(call.at) + call.ms - from) / bucketMs);
      if (at < 0) continue;
      const shift = Math.min(counts.length, Math.max(0, at - counts.length + 1));
      if (shift > 0) {
        counts = [...counts.slice(shift), ...zeros(shift)];
        errors = [...errors.slice(shift), ...zeros(shift)];
        from += (at - counts.length + 1) * bucketMs;
        at = counts.length - 1;
      }
      counts[at] = (counts[at] ?? 0) + 1;
      if (isFailure(call.outcome)) errors[at] = (errors[at] ?? 0) + 1;
    }
    return { ...server, activity: { fromMs: from, bucketMs, calls: counts, errors } };
  });
}

export function addLogLines(lines: readonly ServerLogLine[], replace?: string): void {
  const next: { [server: string]: readonly ServerLogLine[] } = { ...logs.value };
  if (replace !== undefined) next[replace] = [];
  for (const line of lines) next[line.server] = [...(next[line.server] ?? []), line];
  for (const [server, kept] of Object.entries(next)) next[server] = kept.slice(-MAX_LOG_LINES);
  logs.value = next;
}

function byName(list: readonly ServerSummary[]): readonly ServerSummary[] {
  return [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
}

const zeros = (length: number): number[] => Array.from({ length }, () => 0);
