import { randomBytes } from "node:crypto";
import type { ToolOutcome } from "indusagi/runtime";
import type { Artifact } from "./artifact.ts";

export interface ArtifactLimits {
  /** How many are kept. The oldest goes first. */
  readonly count: number;
  /** How large all together may be. */
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

/** Keeps large results in memory for a while. They are gone when the gateway ends. */
export class ArtifactStore {
  readonly #limits: ArtifactLimits;
  readonly #now: () => number;
  /** In the order in which they were kept, and in which they expire. */
  readonly #artifacts = new Map<string, Artifact>();
  #bytes = 0;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(
    limits: ArtifactLimits = STANDARD_ARTIFACT_LIMITS,
    now: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Keeps a result for its owner; undefined if it is larger than everything that may be kept. */
  keep(owner: string, outcome: ToolOutcome, bytes: number): Artifact | undefined {
    if (bytes > this.#limits.bytes) return undefined;
    const id = randomBytes(ID_BYTES).toString("hex");
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
    for (const [id, artifact] of this.#artifacts) {
      const isOver = artifact.expiresMs <= this.#now();
      if (!isOver && this.#artifacts.size <= count && this.#bytes <= bytes) break;
      this.#artifacts.delete(id);
      this.#bytes -= artifact.bytes;
    }
    if (this.#artifacts.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}
