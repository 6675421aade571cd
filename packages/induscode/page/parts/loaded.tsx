import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf, RequestError } from "../request.ts";
import { Said } from "../text.tsx";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Loads a value, again whenever one of `on` changes. What was there stays until the next one has come. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  on: readonly unknown[],
): Loaded<Value> {
  const [state, setState] = useState<{ readonly value?: Value; readonly error?: unknown }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stopped = new AbortController();
    load(stopped.signal).then(
      (value) => stopped.signal.aborted || setState({ value }),
      (error: unknown) => stopped.signal.aborted || setState((last) => ({ ...last, error })),
    );
    return () => stopped.abort();
  }, [...on, round]);
  return { value: state.value, error: state.error, reload: () => setRound((last) => last + 1) };
}

/** Shows a value, or that it is on its way, or why there is none. */
export function Showing<Value>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}): JSX.Element {
  const { value, error, reload } = loaded;
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined ? error === undefined && <p class="loading">Loading…</p> : children(value)}
    </>
  );
}

export function Failure({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
}): JSX.Element {
  return (
    <div class="failure" role="alert">
      <p>
        <Said>{messageOf(error)}</Said>
      </p>
      {error instanceof RequestError && error.remedy !== undefined && (
        <p class="muted">
          <Said>{error.remedy}</Said>
        </p>
      )}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
