import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { workspaceLogs } from "../boot/internal.ts";
import { shapeOf } from "../gateway/index.ts";
import type { CallRecord } from "../gateway/operations/audit/internal.ts";
import { Activity } from "./activity.ts";
import {
  CONSOLE_LIMITS,
  type ConsoleCall,
  type ConsoleFolder,
  type ServerLogLine,
  type StreamEvent,
} from "./contract.ts";
import {
  callersOf,
  clientsOf,
  costOf,
  type Measured,
  problemsOf,
  recentCalls,
  snapshotOf,
  summaryOf,
  waitingCounts,
} from "./overview.ts";
import { ProcessMeter } from "./process-use.ts";
import { logLine } from "./server-detail.ts";
import type { ConsoleSource } from "./source.ts";

/** More calls of one batch are only counted: nobody reads 400 in a second, and the audit trail has them all. */
const BATCH_CALLS = 100;
/** Callers of which it is known when they called last. */
const MAX_CALLERS = 2_000;
/** A reader that leaves more unread is cut off: it can resume. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
/** All kept events together. */
const MAX_KEPT_CHARS = 16 * 1024 * 1024;
/** How long events are recorded after a snapshot, and after the last stream has ended, for the one that follows. */
const ARMED_MS = 5_000;
/** After a review, how long until the ledger is read once more. */
const LOOK_AGAIN_MS = 2_000;
/** How often the log of a watched server is read. */
const LOG_MS = 500;

type Sent = StreamEvent extends infer Each ? (Each extends unknown ? Omit<Each, "at"> : never) : never;

interface OpenStream {
  readonly id: string;
  readonly response: ServerResponse;
  /** Whose session may watch logs with it. */
  readonly owner: object;
  logs: ReadonlySet<string>;
}

/**
 * What happens in a gateway, for all who look. Everything is recorded once and sent to each stream as the same bytes. Nothing is
 * recorded while nobody looks.
 */
export class LiveEvents {
  readonly #source: ConsoleSource;
  readonly #streams = new Map<string, OpenStream>();
  #recording: Recording | undefined;
  #disarm: NodeJS.Timeout | undefined;

  constructor(source: ConsoleSource) {
    this.#source = source;
  }

  get streams(): number {
    return this.#streams.size;
  }

  /** Everything as it is now, with the position from which a stream continues. */
  async snapshot(): Promise<Awaited<ReturnType<typeof snapshotOf>>> {
    const recording = await this.#armed();
    const { position } = recording;
    return snapshotOf(this.#source, recording.measured(), position);
  }

  /** The numbers of the servers, without recording anything that was not recorded before. */
  async measured(): Promise<Measured> {
    return (await this.#armed()).measured();
  }

  /** The shape of the arguments of recent calls, by the id of the call. */
  shapeOf(id: string): unknown {
    return this.#recording?.shapes.get(id);
  }

  /** Sends events to a reader until one of us ends it. */
  async open(response: ServerResponse, owner: object, after: string | undefined): Promise<void> {
    const recording = await this.#armed();
    if (response.destroyed) return;
    const id = randomBytes(12).toString("hex");
    const missed = after === undefined ? undefined : recording.since(after);
    const hello = { at: recording.position, type: "hello", stream: id, resumed: missed !== undefined };
    response.write(`${JSON.stringify(hello)}\n`);
    for (const line of missed ?? []) response.write(line);
    this.#streams.set(id, { id, response, owner, logs: new Set() });
    clearTimeout(this.#disarm);
    response.on("close", () => {
      this.#streams.delete(id);
      this.#watchLogs();
      if (this.#streams.size === 0) this.#disarmLater();
    });
  }

  /** Sets whose logs a stream gets. False if there is no such stream of this owner. */
  async watchLogs(stream: string, owner: object, servers: readonly string[]): Promise<boolean> {
    const found = this.#streams.get(stream);
    if (found?.owner !== owner) return false;
    found.logs = new Set(servers);
    this.#watchLogs();
    return true;
  }

  /** Tells all readers what the folders of the gateway are now. */
  tellFolders(folders: readonly ConsoleFolder[]): void {
    this.#recording?.tell({ type: "folders", folders });
  }

  close(): void {
    clearTimeout(this.#disarm);
    this.#recording?.end();
    this.#recording = undefined;
    for (const { response } of this.#streams.values()) response.end();
  }

  async #armed(): Promise<Recording> {
    const recording = (this.#recording ??= new Recording(this.#source, (line) => this.#send(line)));
    clearTimeout(this.#disarm);
    if (this.#streams.size === 0) this.#disarmLater();
    await recording.begun;
    return recording;
  }

  #disarmLater(): void {
    clearTimeout(this.#disarm);
    this.#disarm = setTimeout(() => {
      if (this.#streams.size > 0) return;
      this.#recording?.end();
      this.#recording = undefined;
    }, ARMED_MS).unref();
  }

  #send(line: string, isWanted: (stream: OpenStream) => boolean = () => true): void {
    for (const stream of this.#streams.values()) {
      const { response } = stream;
      if (!isWanted(stream)) continue;
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
      else response.write(line);
    }
  }

  #logs: { readonly timer: NodeJS.Timeout; readonly key: string } | undefined;

  /** Reads the logs that some stream wants. Lines are not kept: a stream that comes back reads the log again. */
  #watchLogs(): void {
    const wanted = [...new Set([...this.#streams.values()].flatMap(({ logs }) => [...logs]))].toSorted();
    const key = JSON.stringify(wanted);
    if (key === this.#logs?.key) return;
    clearInterval(this.#logs?.timer);
    this.#logs = undefined;
    if (wanted.length === 0) return;
    const followed = workspaceLogs(this.#source.run).then((logs) =>
      wanted.map((server) => logs.follow(server)),
    );
    const read = async (): Promise<void> => {
      for (const [at, next] of (await followed).entries()) {
        const server = wanted[at] ?? "";
        const lines: ServerLogLine[] = next().slice(-CONSOLE_LIMITS.logLines).map(logLine);
        if (lines.length === 0) continue;
        const event = { at: this.#recording?.position ?? "", type: "log", lines };
        this.#send(`${JSON.stringify(event)}\n`, ({ logs }) => logs.has(server));
      }
    };
    const timer = setInterval(() => void read().catch(() => {}), LOG_MS).unref();
    followed.catch(() => {}); // No state folder: there are no logs.
    this.#logs = { timer, key };
  }
}

/** The events since somebody looks. */
class Recording {
  readonly begun: Promise<void>;
  /** Of recent calls, by id. */
  readonly shapes = new Map<string, unknown>();
  readonly #source: ConsoleSource;
  readonly #deliver: (line: string) => void;
  /** Positions of another recording mean nothing here. */
  readonly #epoch = randomBytes(6).toString("hex");
  readonly #meter = new ProcessMeter();
  readonly #activity = new Activity();
  readonly #kept: { readonly seq: number; readonly line: string }[] = [];
  #keptChars = 0;
  #seq = 0;
  #processes: Measured["processes"] = {};
  #gateway: Measured["gateway"];
  readonly #stops: (() => void)[] = [];
  #batch: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #calls: { readonly record: CallRecord; readonly shape: unknown }[] = [];
  #dropped = 0;
  readonly #changed = new Set<string>();
  readonly #retooled = new Set<string>();
  #hasNewClients = false;
  #hasReviewed = false;
  #lastProblems = "";
  #lastClients = "";
  #lastWaiting = "";
  #waiting: { readonly [server: string]: number } = {};
  /** When each caller called last, see `callersOf`. */
  readonly #lastSeen = new Map<string, string>();
  readonly #beganMs = Date.now();

  constructor(source: ConsoleSource, deliver: (line: string) => void) {
    this.#source = source;
    this.#deliver = deliver;
    this.#gateway = this.#meter.gateway();
    const { view, servers } = source;
    this.#stops.push(
      view.onCall((record, input) => this.#called(record, input)),
      view.onClients(() => this.#later(() => (this.#hasNewClients = true))),
      servers.fleet.onStatus(({ server }) => this.#later(() => this.#changed.add(server))),
      servers.fleet.onChange(({ server }) => this.#later(() => this.#retooled.add(server))),
      servers.onReview(() => this.#later(() => (this.#hasReviewed = true))),
      servers.onWithheldPrompts(() => this.#later(() => (this.#hasReviewed = true))),
    );
    this.#every(CONSOLE_LIMITS.processMs, () => this.#measure());
    this.#every(CONSOLE_LIMITS.keepAliveMs, () => this.#deliver(this.#line({ type: "keep-alive" })));
    this.#processes = this.#meter.servers(servers);
    this.begun = this.#begin();
  }

  get position(): string {
    return `${this.#epoch}.${this.#seq}`;
  }

  measured(): Measured {
    const { servers } = this.#source;
    // A server that became ready since has no numbers yet.
    const isNew = servers.fleet
      .endpoints()
      .some(({ config, pid }) => pid !== undefined && !Object.hasOwn(this.#processes, config.id));
    if (isNew) this.#processes = { ...this.#processes, ...this.#meter.servers(servers) };
    return { activity: this.#activity, processes: this.#processes, gateway: this.#gateway };
  }

  /** The lines after a position; undefined if some are missing. */
  since(position: string): readonly string[] | undefined {
    const [epoch, text = ""] = position.split(".");
    const seq = Number(text);
    const [first] = this.#kept;
    if (epoch !== this.#epoch || !Number.isSafeInteger(seq) || seq > this.#seq) return undefined;
    if (seq < (first?.seq ?? this.#seq + 1) - 1) return undefined;
    return this.#kept.filter((each) => each.seq > seq).map(({ line }) => line);
  }

  tell(event: Sent): void {
    this.#record(event);
  }

  end(): void {
    clearTimeout(this.#batch);
    clearTimeout(this.#again);
    for (const stop of this.#stops.splice(0)) stop();
  }

  async #begin(): Promise<void> {
    const [calls, waiting] = await Promise.all([
      recentCalls(this.#source).catch(() => []),
      waitingCounts(this.#source).catch(() => ({})),
    ]);
    for (const call of calls) {
      const endedMs = Date.parse(call.at) + call.ms;
      // Later ones were counted when they ended.
      if (endedMs < this.#beganMs) this.#activity.note(call, endedMs);
      this.#saw(call);
    }
    this.#waiting = waiting;
    this.#lastWaiting = JSON.stringify(waiting);
    this.#lastProblems = JSON.stringify(problemsOf(this.#source, waiting));
    this.#lastClients = this.#clientsKey();
  }

  #every(ms: number, work: () => void): void {
    const timer = setInterval(work, ms).unref();
    this.#stops.push(() => clearInterval(timer));
  }

  #called(record: CallRecord, input: unknown): void {
    this.#activity.note(record, Date.now());
    if (this.#calls.length < BATCH_CALLS) this.#calls.push({ record, shape: shapeOf(input) });
    else this.#dropped += 1;
    if (this.#batch === undefined) this.#schedule();
  }

  #saw(call: CallRecord): void {
    for (const caller of callersOf(call)) keep(this.#lastSeen, caller, call.at, MAX_CALLERS);
  }

  #later(note: () => unknown): void {
    note();
    if (this.#batch === undefined) this.#schedule();
  }

  #schedule(): void {
    this.#batch = setTimeout(() => {
      this.#batch = undefined;
      void this.#flush();
    }, CONSOLE_LIMITS.batchMs).unref();
  }

  /** Sends what has changed since the last time. */
  async #flush(): Promise<void> {
    const source = this.#source;
    const [changed, retooled] = [[...this.#changed], [...this.#retooled]];
    this.#changed.clear();
    this.#retooled.clear();
    const [hasNewClients, hasReviewed] = [this.#hasNewClients, this.#hasReviewed];
    this.#hasNewClients = this.#hasReviewed = false;
    if (this.#calls.length > 0) {
      const [calls, dropped] = [this.#calls, this.#dropped];
      this.#calls = [];
      this.#dropped = 0;
      for (const { record, shape } of calls) {
        this.#saw(record);
        keep(this.shapes, record.id, shape, CONSOLE_LIMITS.calls);
      }
      this.#record({
        type: "calls",
        calls: calls.map(({ record, shape }): ConsoleCall => ({ ...record, shape })),
        dropped,
      });
    }
    if (changed.length > 0) this.#sendServers(changed);
    if (retooled.length > 0) this.#record({ type: "tools", servers: retooled, cost: costOf(source) });
    if (hasReviewed || retooled.length > 0) await this.#sendWaiting();
    // A change that is held, with the approved text in use, changes no list.
    if (hasReviewed || changed.length + retooled.length > 0) this.#lookAgain();
    if (changed.length + retooled.length > 0 || hasReviewed) this.#sendProblems();
    if (hasNewClients || retooled.length > 0) this.#sendClients();
  }

  #sendServers(ids: readonly string[]): void {
    const { servers } = this.#source;
    const found = new Map(servers.statuses().map((status) => [status.server, status]));
    const known = ids.flatMap((id) => found.get(id) ?? []);
    const removed = ids.filter((id) => !found.has(id));
    if (known.length > 0)
      this.#record({
        type: "servers",
        servers: known.map((status) => summaryOf(this.#source, status, this.measured())),
      });
    if (removed.length > 0) this.#record({ type: "removed", servers: removed });
  }

  /** A decision is reported before its record is in the ledger's file, which is read here. */
  #lookAgain(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      void this.#sendWaiting().then(() => this.#sendProblems());
    }, LOOK_AGAIN_MS).unref();
  }

  async #sendWaiting(): Promise<void> {
    const waiting = await waitingCounts(this.#source).catch(() => this.#waiting);
    const text = JSON.stringify(waiting);
    this.#waiting = waiting;
    if (text === this.#lastWaiting) return;
    this.#lastWaiting = text;
    this.#record({ type: "waiting", waiting });
  }

  #sendProblems(): void {
    const problems = problemsOf(this.#source, this.#waiting);
    const text = JSON.stringify(problems);
    if (text === this.#lastProblems) return;
    this.#lastProblems = text;
    this.#record({ type: "problems", problems });
  }

  #sendClients(): void {
    const key = this.#clientsKey();
    if (key === this.#lastClients) return;
    this.#lastClients = key;
    this.#record({ type: "clients", clients: clientsOf(this.#source, this.#lastSeen) });
  }

  #clientsKey(): string {
    const clients = clientsOf(this.#source, new Map());
    return JSON.stringify(clients.map(({ lastSeen: _seen, ...client }) => client));
  }

  #measure(): void {
    const { servers, run } = this.#source;
    if (run.signal.aborted) return this.end();
    this.#gateway = this.#meter.gateway();
    this.#processes = this.#meter.servers(servers);
    this.#record({ type: "processes", gateway: this.#gateway, servers: this.#processes });
  }

  #record(event: Sent): void {
    this.#seq += 1;
    const line = this.#line(event);
    this.#kept.push({ seq: this.#seq, line });
    this.#keptChars += line.length;
    while (this.#kept.length > CONSOLE_LIMITS.keptEvents || this.#keptChars > MAX_KEPT_CHARS)
      this.#keptChars -= this.#kept.shift()?.line.length ?? 0;
    this.#deliver(line);
  }

  #line(event: Sent): string {
    return `${JSON.stringify({ at: this.position, ...event })}\n`;
  }
}

/** Keeps the newest entries of a map. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
