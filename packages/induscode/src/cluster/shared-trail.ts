import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describeError, errorCode, mintUlid, settlesWithin } from "indusagi/core";
import { type AuditTrail, type CallRecord, recordLine } from "../gateway/operations/audit/index.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { Stream, subjects } from "./contract.ts";

export interface SharedTrailOptions {
  /** Where calls are kept while NATS does not take them. */
  readonly folder: string;
  /** Called with one line when that begins and ends, and when calls are lost. */
  readonly report: (message: string) => void;
  /** The most that is kept there. Default: 64 MiB, about 150,000 calls. */
  readonly maxBytes?: number | undefined;
}

/** Calls that come within this time go together. */
const DELAY_MS = 200;
const BATCH_CALLS = 200;
/** Batches that may wait for their acknowledgement. */
const MOST_WAITING = 32;
const ACK_MS = 2_000;
const AGAIN_MS = 1_000;
const CLOSE_MS = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;
const SPILL = /^(\d+)-\w{26}\.spill$/;

/**
 * The audit trail of a cluster, as one gateway writes it. Calls go to NATS in batches, and nothing waits for that. What NATS does not take
 * goes to a file of limited size, and to NATS when it can be reached again. A batch has an id, by which it counts once however often it was
 * sent.
 */
export function openSharedTrail(connection: ClusterConnection, options: SharedTrailOptions): AuditTrail {
  return new SharedTrail(connection, options);
}

interface Batch {
  readonly id: string;
  readonly lines: string;
}

class SharedTrail implements AuditTrail {
  readonly #connection: ClusterConnection;
  readonly #options: SharedTrailOptions;
  readonly #own = mintUlid();
  readonly #spill: string;
  readonly #sending = new Map<Batch, Promise<void>>();
  #waiting: CallRecord[] = [];
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #spilled: number | undefined;
  #isDown = false;
  #isFull = false;
  #isOver = false;

  constructor(connection: ClusterConnection, options: SharedTrailOptions) {
    this.#connection = connection;
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#spill = join(options.folder, `${process.pid}-${this.#own}.spill`);
    // What earlier gateways could not deliver.
    if (leftBehind(options.folder).length > 0) this.#deliverSoon();
  }

  record(record: CallRecord): void {
    this.#waiting.push(record);
    if (this.#waiting.length >= BATCH_CALLS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), DELAY_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting.map(recordLine).join("");
    this.#waiting = [];
    const batch = { id: `${this.#own}.${this.#count++}`, lines };
    if (this.#isDown || this.#sending.size >= MOST_WAITING) this.#keep(batch, "it does not answer in time");
    else this.#sending.set(batch, this.#send(batch));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.flush();
    this.#isOver = true;
    clearTimeout(this.#again);
    const sent = Promise.all(this.#sending.values());
    await settlesWithin(sent, CLOSE_MS);
    // Perhaps NATS has them. Then they count once all the same.
    for (const batch of this.#sending.keys()) {
      this.#sending.delete(batch);
      this.#keep(batch, "this gateway ends");
    }
  }

  /** Never rejects. */
  async #send(batch: Batch): Promise<void> {
    try {
      await this.#publish(batch);
    } catch (thrown) {
      if (this.#sending.has(batch)) this.#keep(batch, describeError(thrown));
    } finally {
      this.#sending.delete(batch);
    }
  }

  async #publish({ id, lines }: Batch): Promise<void> {
    const { client } = await this.#connection.jetStream();
    await client.publish(subjects.audit, lines, {
      msgID: id,
      timeout: ACK_MS,
      expect: { streamName: Stream.AUDIT },
    });
  }

  /** Never throws. */
  #keep(batch: Batch, why: string): void {
    const { report, maxBytes = MAX_BYTES } = this.#options;
    const line = `${JSON.stringify(batch)}\n`;
    if (!this.#isDown) report(`the audit trail waits for NATS: ${why}; calls are kept in ${this.#spill}`);
    this.#isDown = true;
    try {
      this.#spilled ??= statSync(this.#spill, { throwIfNoEntry: false })?.size ?? 0;
      const size = this.#spilled + Buffer.byteLength(line);
      if (size > maxBytes) {
        if (!this.#isFull) report(`calls are not recorded until NATS can be reached: ${this.#spill} is full`);
        this.#isFull = true;
      } else {
        appendFileSync(this.#spill, line, { mode: 0o600 });
        this.#spilled = size;
      }
    } catch (thrown) {
      if (!this.#isFull) report(`calls are not recorded: ${this.#spill}: ${describeError(thrown)}`);
      this.#isFull = true;
    }
    this.#deliverSoon();
  }

  #deliverSoon(): void {
    if (this.#isOver) return;
    this.#again ??= setTimeout(() => {
      void this.#deliver()
        .finally(() => (this.#again = undefined))
        .then((isDone) => {
          if (!isDone) this.#deliverSoon();
        });
    }, AGAIN_MS).unref();
  }

  /** Gives to NATS what is in the files. False if it does not take all of it. Never rejects. */
  async #deliver(): Promise<boolean> {
    try {
      for (const path of leftBehind(this.#options.folder)) {
        for (const batch of batchesIn(path)) await this.#publish(batch);
        rmSync(path, { force: true });
      }
      // While it is sent, more may be added.
      for (let from = 0; from < (this.#spilled ?? 0); ) {
        const end = this.#spilled ?? 0;
        for (const batch of batchesIn(this.#spill, from)) await this.#publish(batch);
        from = end;
        if (end === this.#spilled) this.#emptied();
      }
      if (this.#isDown) this.#options.report("the audit trail reaches NATS again");
      this.#isDown = false;
      this.#isFull = false;
      return true;
    } catch {
      return false;
    }
  }

  #emptied(): void {
    rmSync(this.#spill, { force: true });
    this.#spilled = 0;
  }
}

/** The files of gateways that have ended. If two others deliver one at once, it counts once. */
function leftBehind(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => {
      const [, pid] = SPILL.exec(name) ?? [];
      return pid !== undefined && !isRunning(Number(pid));
    })
    .map((name) => join(folder, name));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return errorCode(thrown) === "EPERM";
  }
}

/** A gateway that was killed may have left half a line, which was lost with it. */
function batchesIn(path: string, from = 0): readonly Batch[] {
  const text = readFileSync(path).subarray(from).toString();
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as Batch];
    } catch {
      return [];
    }
  });
}
