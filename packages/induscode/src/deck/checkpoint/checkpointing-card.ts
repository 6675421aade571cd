import { type Fs, FsError, type FsFile, type ToolContext, toolPath } from "indusagi/capabilities";
import { describeError, escapeForDisplay, KeyedQueue, untilAborted } from "indusagi/core";
import type { JsonSchema, ToolDescriptor } from "indusagi/llm";
import {
  abortedOutcome,
  answeredOutcome,
  argumentsOf,
  failureResult,
  type ToolCall,
  type ToolResult,
} from "indusagi/runtime";
import type { Capability, Card, CheckpointStore, DeckContext, FileState } from "../contract/index.ts";

/** The tools whose changes can be undone. Not `bash`: what a command changes is unknown. */
export const CHECKPOINTED_TOOLS: readonly string[] = Object.freeze(["write", "edit"]);

/** Wraps `write` and `edit` if the context has a checkpoint store. Returns any other capability unchanged. */
export function maybeWrapCheckpoint(
  capability: Capability,
  { framework: { checkpoint } }: Pick<DeckContext, "framework">,
): Capability {
  if (!checkpoint || !CHECKPOINTED_TOOLS.includes(capability.name)) return capability;
  return new CheckpointingCard(capability, checkpoint);
}

/** Calls of one model turn keep their order per file, across the cards of a store. */
const queues = new WeakMap<CheckpointStore, KeyedQueue>();

/**
 * Wraps a card that changes the file in its `path` argument: before each call the store keeps the file's state, for undo. If
 * it cannot, the call is refused. The model sees no difference from the inner card.
 */
export class CheckpointingCard implements Card {
  readonly effect?: NonNullable<Card["effect"]>;
  readonly invoke?: NonNullable<Card["invoke"]>;
  readonly #inner: Capability;
  readonly #store: CheckpointStore;

  constructor(inner: Capability, store: CheckpointStore) {
    this.#inner = inner;
    this.#store = store;
    if (inner.effect) this.effect = inner.effect.bind(inner);
    const invoke = inner.invoke?.bind(inner);
    if (invoke)
      this.invoke = (call, ctx) =>
        this.#guarded(call, ctx, {
          run: () => invoke(call, ctx),
          failed: ({ isError, suspended }) => isError || suspended !== undefined,
          refuse: (message) => answeredOutcome(call.id, failureResult(message)),
          aborted: () => abortedOutcome(call.id, inner.name, false),
        });
  }

  get name(): string {
    return this.#inner.name;
  }

  get label(): string {
    return this.#inner.label;
  }

  get description(): string {
    return this.#inner.description;
  }

  get parameters(): JsonSchema {
    return this.#inner.parameters;
  }

  get readOnly(): boolean {
    return this.#inner.readOnly;
  }

  get descriptor(): ToolDescriptor {
    return this.#inner.descriptor;
  }

  run(input: unknown, ctx: ToolContext): Promise<ToolResult> {
    return this.#guarded({ input }, ctx, {
      run: () => this.#inner.run(input, ctx),
      failed: ({ isError }) => isError === true,
      refuse: failureResult,
      aborted: () => abortedOutcome("", this.name, false).result,
    });
  }

  async #guarded<Answer>(
    given: Pick<ToolCall, "input">,
    ctx: ToolContext,
    call: GuardedCall<Answer>,
  ): Promise<Answer> {
    let path: string | undefined;
    try {
      path = pathArgument(this.parameters, given);
    } catch (thrown) {
      return call.refuse(`${this.name}: ${describeError(thrown)}`);
    }
    if (path === undefined) return call.run();
    return this.#inOrder(toolPath(ctx, path), ctx, call);
  }

  #inOrder<Answer>(path: string, ctx: ToolContext, call: GuardedCall<Answer>): Promise<Answer> {
    return queueOf(this.#store).run(path, async () => {
      const file = await realPath(ctx, path);
      if (file === undefined) return call.run();
      try {
        await untilAborted(this.#keep(file, ctx), ctx.signal);
      } catch (thrown) {
        return ctx.signal?.aborted ? call.aborted() : call.refuse(this.#refusal(file, thrown));
      }
      const answer = await call.run();
      if (!call.failed(answer)) await this.#noteResult(file, ctx);
      return answer;
    });
  }

  async #keep(file: string, { fs }: ToolContext): Promise<void> {
    try {
      await withCurrentState(fs, file, (state) => this.#store.record(file, state));
    } catch (thrown) {
      if (!(thrown instanceof UnreadableError)) throw thrown;
      await this.#store.record(file, "unknown");
    }
  }

  #refusal(file: string, thrown: unknown): string {
    return (
      `${this.name}: nothing was written, because the present content of ${escapeForDisplay(file)} ` +
      `could not be kept for undoing: ${describeError(thrown)}`
    );
  }

  /** Errors are ignored: without this note a rewind only asks before it replaces the file, and the call did succeed. */
  async #noteResult(file: string, { fs }: ToolContext): Promise<void> {
    const store = this.#store;
    if (!store.wrote) return;
    await withCurrentState(fs, file, async (state) => store.wrote?.(file, state)).catch(() => {});
  }
}

/** The path that the tool will use, after the tool's own argument coercion. */
function pathArgument(parameters: JsonSchema, call: Pick<ToolCall, "input">): string | undefined {
  const { path } = (argumentsOf(call, parameters) ?? {}) as { readonly path?: unknown };
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** One call of the inner card, through `run` or `invoke`. */
interface GuardedCall<Answer> {
  run(): Promise<Answer>;
  /** Whether the call changed nothing, as far as is known. */
  failed(answer: Answer): boolean;
  refuse(message: string): Answer;
  /** The answer to a call that was aborted before it started. */
  aborted(): Answer;
}

function queueOf(store: CheckpointStore): KeyedQueue {
  const queue = queues.get(store) ?? new KeyedQueue();
  queues.set(store, queue);
  return queue;
}

/** The file with links followed. Undefined if the tool may not use the path: the tool then reports that. */
async function realPath({ fs }: ToolContext, path: string): Promise<string | undefined> {
  try {
    return await fs.resolve(path);
  } catch (thrown) {
    const isRefused =
      thrown instanceof FsError && (thrown.kind === "outside" || thrown.kind === "invalid_path");
    return isRefused ? undefined : path;
  }
}

const PIECE_BYTES = 256 * 1024;
/** Larger files are read in pieces. */
const MAX_WHOLE_BYTES = 1024 * 1024;

/** Reading the file failed, as opposed to storing its bytes. */
class UnreadableError extends Error {}

/**
 * Calls `use` with the current state of a path: a file, or `undefined` if there is none. Rejects with an
 * `UnreadableError` if the file cannot be read.
 */
async function withCurrentState(
  fs: Fs,
  path: string,
  use: (state: FileState | undefined) => Promise<void>,
): Promise<void> {
  const file = await openIfThere(fs, path);
  if (!file) return use(undefined);
  const { size, mode } = file.info;
  const reading: Reading = { file };
  try {
    const bytes = size > MAX_WHOLE_BYTES ? piecesOf(reading) : await readPart(reading, 0, size);
    await use({ bytes, ...(mode === undefined ? {} : { mode }) });
  } catch (thrown) {
    // `use` may have wrapped the read error.
    throw reading.failure ?? thrown;
  } finally {
    await file.close();
  }
}

interface Reading {
  readonly file: FsFile;
  failure?: UnreadableError;
}

async function openIfThere(fs: Fs, path: string): Promise<FsFile | undefined> {
  try {
    return await fs.open(path);
  } catch (cause) {
    if (cause instanceof FsError && cause.kind === "not_found") return undefined;
    throw new UnreadableError("the file cannot be opened", { cause });
  }
}

/** Reads only up to the size at opening: a file that keeps growing never ends. */
async function* piecesOf(reading: Reading): AsyncGenerator<Uint8Array> {
  const { size } = reading.file.info;
  const buffer = new Uint8Array(PIECE_BYTES);
  for (let position = 0; position < size; position += PIECE_BYTES)
    yield await readPart(reading, position, Math.min(PIECE_BYTES, size - position), buffer);
}

async function readPart(
  reading: Reading,
  position: number,
  length: number,
  into?: Uint8Array,
): Promise<Uint8Array> {
  try {
    const piece = await reading.file.read(position, length, into);
    if (piece.length === length) return piece;
    throw new UnreadableError("the file became shorter while it was read");
  } catch (cause) {
    reading.failure = new UnreadableError("the file cannot be read", { cause });
    throw reading.failure;
  }
}
