/**
 * Signals that serve one call after another. V8 in Node 20 keeps each new signal, and what its listeners hold, until it collects the
 * whole heap, because a property is added after its prototype was changed. That was a sixth of the processor time of a gateway's call.
 *
 * A signal is used again only if the code that got it has released it, it has not aborted, nobody joined it with others, and nothing
 * listens to it any more.
 */
export function takeController(): AbortController {
  const free = unused.pop();
  if (free) return free;
  const controller = new AbortController();
  (controller.signal as MarkedSignal)[USE] = { isReleased: false, isJoined: false, times: 1 };
  return controller;
}

/** The work that the signal was for has ended. Its holder must not use the controller again. */
export function giveBackController(controller: AbortController): void {
  const { signal } = controller;
  const use = useOf(signal);
  if (!use?.isReleased || use.isJoined || signal.aborted || use.times >= MAX_TIMES) return;
  events ??= loadEvents();
  if (unused.length >= MAX_UNUSED || events.getEventListeners(signal, "abort").length > 0) return;
  use.isReleased = false;
  use.times += 1;
  unused.push(controller);
}

/** For code that got a signal with a call, when the call has ended and nothing that it began still uses the signal. */
export function releaseSignal(signal: AbortSignal | undefined): void {
  const use = useOf(signal);
  if (use) use.isReleased = true;
}

/** Nobody can tell when a signal that was made of this one is no longer used. */
export function keepFromReuse(signal: AbortSignal): void {
  const use = useOf(signal);
  if (use) use.isJoined = true;
}

interface Use {
  isReleased: boolean;
  isJoined: boolean;
  times: number;
}

const USE: unique symbol = Symbol("use");
type MarkedSignal = AbortSignal & { [USE]?: Use };

function useOf(signal: MarkedSignal | undefined): Use | undefined {
  return signal?.[USE];
}

const unused: AbortController[] = [];
/** More calls at the same time get signals of their own. */
const MAX_UNUSED = 256;
/** Others may join a signal unseen: Node keeps a note of each such signal. */
const MAX_TIMES = 1_000;

// Loaded with the first signal that comes back.
const loadEvents = () => process.getBuiltinModule("node:events");
let events: ReturnType<typeof loadEvents> | undefined;
