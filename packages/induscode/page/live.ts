import { effect, signal } from "@preact/signals";
import { CONSOLE_LIMITS, type StreamEvent } from "../src/console/contract.ts";
import { access, showFolders } from "./access.ts";
import { lines, RequestError, request } from "./request.ts";
import { showEvents, showSnapshot } from "./store.ts";

/** What the page knows of its connection. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly sinceMs: number };

export const connection = signal<Connection>({ state: "connecting" });

/** The servers whose logs this tab shows. */
export const watchedLogs = signal<readonly string[]>([]);

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 8_000;
/** A stream that is silent for longer than this is lost, although nobody closed it. */
const SILENCE_MS = 2.2 * CONSOLE_LIMITS.keepAliveMs;

/** What the tabs of this origin say to each other. */
type TabMessage =
  | { readonly type: "event"; readonly event: StreamEvent }
  | { readonly type: "connection"; readonly connection: Connection }
  | { readonly type: "logs"; readonly tab: string; readonly servers: readonly string[] }
  | { readonly type: "joined" };

const tab = Math.random().toString(36).slice(2);
/** The last line that this tab has seen: a stream resumes after it, whichever tab opens it. */
let position: string | undefined;
let channel: BroadcastChannel | undefined;
/** The servers whose logs other tabs show. Only the tab that holds the stream uses it. */
const logsOfTabs = new Map<string, readonly string[]>();
let stream: { readonly id: string } | undefined;
let retry: (() => void) | undefined;

/** Loads what there is, then follows it. Of several tabs with the same folder, one holds the stream and passes it on. */
export async function follow(folder: string | undefined, signal: AbortSignal): Promise<void> {
  const name = `indus-console-stream ${folder ?? ""}`;
  const tabs = new BroadcastChannel(name);
  channel = tabs;
  const missed: StreamEvent[] = [];
  let isCaughtUp = false;
  tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === "event") {
      if (isCaughtUp) take(data.event);
      else missed.push(data.event);
    } else if (data.type === "connection") connection.value = data.connection;
    else if (data.type === "logs") logsChanged(data.tab, data.servers);
    else if (data.type === "joined") {
      tell({ type: "logs", tab, servers: watchedLogs.value });
      if (stream !== undefined) tell({ type: "connection", connection: connection.value });
    }
  };
  const stopWatching = effect(() => logsChanged(tab, watchedLogs.value));
  const onWake = (): void => retry?.();
  addEventListener("online", onWake);
  document.addEventListener("visibilitychange", onWake);
  signal.addEventListener("abort", () => {
    tabs.close();
    stopWatching();
    removeEventListener("online", onWake);
    document.removeEventListener("visibilitychange", onWake);
  });
  await untilLoaded(signal);
  for (const event of missed.filter(({ at }) => isAfter(at, position))) take(event);
  isCaughtUp = true;
  tell({ type: "joined" });
  tell({ type: "logs", tab, servers: watchedLogs.value });
  const held = (): Promise<void> => hold(signal);
  if (typeof navigator.locks === "undefined") await held();
  else await navigator.locks.request(name, { signal }, held);
}

/** Loads the snapshot, as often as needed. */
async function untilLoaded(signal: AbortSignal): Promise<void> {
  for (let delay = FIRST_RETRY_MS; !signal.aborted; delay = Math.min(2 * delay, MAX_RETRY_MS)) {
    try {
      return await load(signal);
    } catch (error) {
      if (access.value.state !== "open") return;
      lost();
      await learnFolders(error, signal);
      await pause(delay, signal);
    }
  }
}

/** No client is attached to this folder any more: which ones are there now? */
async function learnFolders(error: unknown, signal: AbortSignal): Promise<void> {
  if (!(error instanceof RequestError) || error.code !== "not_found") return;
  const info = await request("GET /console/session", { signal }).catch(() => undefined);
  if (info) showFolders(info.folders);
}

async function load(signal: AbortSignal): Promise<void> {
  const snapshot = await request("GET /console/snapshot", { signal });
  position = snapshot.position;
  showSnapshot(snapshot);
}

/** Holds the stream, and opens it again whenever it is lost. */
async function hold(signal: AbortSignal): Promise<void> {
  let delay = FIRST_RETRY_MS;
  while (!signal.aborted && access.value.state === "open") {
    try {
      await readStream(signal, () => (delay = FIRST_RETRY_MS));
    } catch (error) {
      // Shown as a lost connection. The next attempt may find that the session has ended.
      await learnFolders(error, signal);
    }
    stream = undefined;
    if (signal.aborted) return;
    lost();
    await pause(delay, signal);
    delay = Math.min(2 * delay, MAX_RETRY_MS);
  }
}

async function readStream(signal: AbortSignal, opened: () => void): Promise<void> {
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  signal.addEventListener("abort", stop);
  let timer = setTimeout(stop, SILENCE_MS);
  try {
    for await (const event of lines("GET /console/stream", {
      query: { after: position },
      signal: ended.signal,
    })) {
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE_MS);
      if (event.type === "hello") {
        stream = { id: event.stream };
        if (!event.resumed) await load(ended.signal);
        opened();
        setConnection({ state: "live" });
        sendLogs();
      }
      take(event);
      tell({ type: "event", event });
    }
  } finally {
    clearTimeout(timer);
    ended.abort();
    signal.removeEventListener("abort", stop);
  }
}

/** Events of one frame are shown together. */
const pending: StreamEvent[] = [];
function take(event: StreamEvent): void {
  position = event.at;
  pending.push(event);
  if (pending.length > 1) return;
  const show = (): void => showEvents(pending.splice(0));
  // No frame is drawn in a hidden tab.
  if (document.hidden) setTimeout(show, 250);
  else requestAnimationFrame(show);
}

/** Positions end in a number that counts up. One of another run cannot be compared and counts as later: events may be shown twice. */
function isAfter(at: string, than = ""): boolean {
  const [ofA, a = ""] = at.split(".");
  const [ofB, b = ""] = than.split(".");
  return ofA !== ofB || Number(a) > Number(b);
}

function logsChanged(of: string, servers: readonly string[]): void {
  if (servers.length === 0) logsOfTabs.delete(of);
  else logsOfTabs.set(of, servers);
  if (of === tab) tell({ type: "logs", tab, servers });
  sendLogs();
}

let sentLogs = "";
function sendLogs(): void {
  if (stream === undefined) return;
  const servers = [...new Set([...logsOfTabs.values()].flat())].sort();
  const asked = JSON.stringify([stream.id, servers]);
  if (asked === sentLogs || (servers.length === 0 && sentLogs === "")) return;
  sentLogs = asked;
  // If it fails, the stream is lost too, and it is sent again with the next one.
  request("POST /console/stream/logs", { body: { stream: stream.id, servers } }).catch(() => (sentLogs = ""));
}

function lost(): void {
  if (connection.value.state !== "lost") setConnection({ state: "lost", sinceMs: Date.now() });
}

function setConnection(next: Connection): void {
  connection.value = next;
  tell({ type: "connection", connection: next });
}

function tell(message: TabMessage): void {
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, only this origin
    channel?.postMessage(message);
  } catch {
    // The channel was closed together with this folder.
  }
}

/** Waits, or until somebody looks at the page again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      retry = undefined;
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    retry = done;
    signal.addEventListener("abort", done, { once: true });
  });
}

/** Tries again now, for a person who asks for it. */
export function reconnect(): void {
  retry?.();
}
