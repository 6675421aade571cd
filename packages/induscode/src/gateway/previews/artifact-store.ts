import { randomBytes } from "node:crypto";
import type { ToolOutcome } from "indusagi/runtime";
import type { Artifact } from "./artifact.ts";

export interface ArtifactLimits {
  /** How many are kept. The oldest of the owner with the most bytes goes first. */
  readonly count: number;
  /** The total size. */
  readonly bytes: number;
  /** How long each is kept. */
  readonly keptMs: number;
}

const STANDARD_ARTIFACT_LIMITS: ArtifactLimits = {
  count: 200,
  bytes: 128 * 1024 * 1024,
  keptMs: 15 * 60_000,
};

const ID_BYTES = 16;
const SWEEP_MS = 30_000;

/** Keeps large results in memory for a while, until the gateway exits. */
export class ArtifactStore {
  readonly #limits: ArtifactLimits;
  readonly #now: () => number;
  readonly #idFor: (id: string) => string;
  /** In the order in which they were stored, and expire. */
  readonly #artifacts = new Map<string, Artifact>();
  #bytes = 0;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(
    limits: ArtifactLimits = STANDARD_ARTIFACT_LIMITS,
    now: () => number = () => performance.now(),
    idFor: (id: string) => string = (id) => id,
  ) {
    this.#limits = limits;
    this.#now = now;
    this.#idFor = idFor;
  }

  /** Keeps a result for its owner. Undefined if it exceeds the total limit. */
  keep(owner: string, outcome: ToolOutcome, bytes: number): Artifact | undefined {
    if (bytes > this.#limits.bytes) return undefined;
    const id = this.#idFor(randomBytes(ID_BYTES).toString("hex"));
    const artifact = { id, owner, outcome, bytes, expiresMs: this.#now() + this.#limits.keptMs };
    this.#artifacts.set(id, artifact);
    this.#bytes += bytes;
    this.#sweep();
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return artifact;
  }

  /** For everyone but its owner an artifact does not exist. */
  find(owner: string, id: string): Artifact | undefined {
    this.#sweep();
    const artifact = this.#artifacts.get(id);
    return artifact?.owner === owner ? artifact : undefined;
  }

  #sweep(): void {
    const { count, bytes } = this.#limits;
    for (const artifact of this.#artifacts.values()) {
      if (artifact.expiresMs > this.#now()) break;
      this.#remove(artifact);
    }
    while (this.#artifacts.size > count || this.#bytes > bytes) this.#removeOfLargest();
    if (this.#artifacts.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  /**
   * Removes the oldest result of the owner with the most bytes, so one owner cannot push out the others' results. Keeps the
   * newest one: it was just stored.
   */
  #removeOfLargest(): void {
    const older = [...this.#artifacts.values()].slice(0, -1);
    const held = new Map<string, number>();
    for (const { owner, bytes } of older) held.set(owner, (held.get(owner) ?? 0) + bytes);
    const most = Math.max(...held.values());
    const first = older.find(({ owner }) => held.get(owner) === most);
    if (first) this.#remove(first);
  }

  #remove({ id, bytes }: Artifact): void {
    this.#artifacts.delete(id);
    this.#bytes -= bytes;
  }
}
