import { backoffMs, type Clock, showDuration, systemClock } from "indusagi/core";
import type { ModelEvent, ModelPort, ModelRequest } from "indusagi/llm";
import { retryAfterMs } from "./explain-failure.ts";
import { ModelError } from "./model-error.ts";

const ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;
/** If a provider asks for a longer wait, give up: the user should know. */
const MAX_WAIT_MS = 30_000;

export interface ResilientOptions {
  /** Used when the first model stays overloaded. */
  readonly fallback?: ModelPort;
  readonly report?: (message: string) => void;
  readonly clock?: Clock;
}

/**
 * Retries a model after a temporary failure, and falls back to another one if it stays overloaded. Retries only requests that
 * have not returned anything yet, and only if the model has been reached before: otherwise its URL is probably wrong.
 */
export function resilientModel(
  model: ModelPort,
  { fallback, report = () => {}, clock = systemClock }: ResilientOptions = {},
): ModelPort {
  let wasReached = false;
  return {
    id: model.id,
    async *stream(request, signal) {
      for (let attempt = 1; ; attempt++) {
        const begun = await begin(model, request, signal);
        const { error } = begun;
        wasReached ||= !(error instanceof ModelError && error.kind === "unreachable");
        if (begun.events) return yield* begun.events;
        const waitMs =
          retryAfterMs(error) ?? backoffMs(attempt, { baseMs: FIRST_WAIT_MS, maxMs: MAX_WAIT_MS });
        if (!isPassing(error) || !wasReached) throw error;
        if (attempt < ATTEMPTS && waitMs <= MAX_WAIT_MS) {
          report(`${error.message}; attempt ${attempt + 1} of ${ATTEMPTS} in ${showDuration(waitMs)}`);
          await clock.sleep(waitMs, signal);
          continue;
        }
        if (!fallback || error.kind !== "overloaded") throw error;
        report(`${error.message}; continuing with ${fallback.id}`);
        return yield* withModelName(fallback, request, signal);
      }
    },
  };
}

/** The answer of the fallback model, with its name. */
async function* withModelName(
  model: ModelPort,
  request: ModelRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelEvent> {
  for await (const event of model.stream(request, signal))
    yield event.kind === "finish" ? { model: model.id, ...event } : event;
}

function isPassing(error: unknown): error is ModelError {
  return error instanceof ModelError && ["overloaded", "failed", "unreachable"].includes(error.kind);
}

/** Asks and waits for the first event. */
async function begin(
  model: ModelPort,
  request: ModelRequest,
  signal: AbortSignal | undefined,
): Promise<
  | { readonly events: AsyncIterable<ModelEvent>; readonly error?: never }
  | { readonly events?: never; readonly error: unknown }
> {
  const events = model.stream(request, signal)[Symbol.asyncIterator]();
  try {
    const first = await events.next();
    return { events: resumed(first, events) };
  } catch (error) {
    signal?.throwIfAborted();
    return { error };
  }
}

async function* resumed(
  first: IteratorResult<ModelEvent>,
  rest: AsyncIterator<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  if (first.done === true) return;
  yield first.value;
  yield* { [Symbol.asyncIterator]: () => rest };
}
