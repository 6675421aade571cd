import { FsError, type ToolContext, toolPath } from "indusagi/capabilities";
import { describeError, escapeForDisplay, KeyedQueue, untilAborted } from "indusagi/core";
import type * as llm from "indusagi/llm";
import { abortedOutcome, answeredOutcome, failureResult, type ToolResult } from "indusagi/runtime";
import type { Capability, Card, CheckpointStore } from "../contract/index.ts";
import { UnreadableError, withCurrentState } from "./current-state.ts";

/** The calls of one model turn keep their order for each file, across the cards of a store. */
const queues = new WeakMap<CheckpointStore, KeyedQueue>();

/**
 * A card that changes the file in its `path` argument, with a way back: before each call the store keeps the state of the
 * file. If the store cannot keep it, the call is refused. Everything that a model sees is that of the inner card.
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
        this.#guarded(call.input, ctx, {
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

  get parameters(): llm.JsonSchema {
    return this.#inner.parameters;
  }

  get readOnly(): boolean {
    return this.#inner.readOnly;
  }

  get descriptor(): llm.ToolDescriptor {
    return this.#inner.descriptor;
  }

  run(input: unknown, ctx: ToolContext): Promise<ToolResult> {
    return this.#guarded(input, ctx, {
      run: () => this.#inner.run(input, ctx),
      failed: ({ isError }) => isError === true,
      refuse: failureResult,
      aborted: () => abortedOutcome("", this.name, false).result,
    });
  }

  async #guarded<Answer>(input: unknown, ctx: ToolContext, call: GuardedCall<Answer>): Promise<Answer> {
    let path: string | undefined;
    try {
      path = await pathArgument(this.parameters, input);
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

  /** Without this note a rewind asks before it replaces the file. That is no reason to fail a call that succeeded. */
  async #noteResult(file: string, { fs }: ToolContext): Promise<void> {
    const store = this.#store;
    if (!store.wrote) return;
    await withCurrentState(fs, file, async (state) => store.wrote?.(file, state)).catch(() => {});
  }
}

/** The path that the tool will use: the tool's own rules for arguments apply. */
async function pathArgument(parameters: llm.JsonSchema, input: unknown): Promise<string | undefined> {
  const { coerceArguments } = await loadLlm();
  const { path } = (coerceArguments(parameters, input) ?? {}) as { readonly path?: unknown };
  return typeof path === "string" && path !== "" ? path : undefined;
}

let loading: Promise<typeof llm> | undefined;

/** Loaded by the first call. Calls that come meanwhile wait for it too, so that they keep their order. */
function loadLlm(): Promise<typeof llm> {
  loading ??= import("indusagi/llm").catch((thrown: unknown) => {
    loading = undefined; // Loading may fail for lack of descriptors; try again the next time.
    throw thrown;
  });
  return loading;
}

/** One call of the inner card, in the form of `run` or of `invoke`. */
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

/** The file itself, links followed. Undefined if the tool may not use the path: then the tool says so. */
async function realPath({ fs }: ToolContext, path: string): Promise<string | undefined> {
  try {
    return await fs.resolve(path);
  } catch (thrown) {
    const isRefused =
      thrown instanceof FsError && (thrown.kind === "outside" || thrown.kind === "invalid_path");
    return isRefused ? undefined : path;
  }
}
