import { showDuration } from "../../../core/index.ts";
import { SearchFault } from "../search-job.ts";

/** Shared with the worker: whether it is inside JavaScript's expression engine, and how many KiB it has matched. */
export type MatchCells = Int32Array;

export function createMatchCells(): MatchCells {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** Marks the time that the worker spends in JavaScript's expression engine. */
export interface MatchMarks {
  begin(): void;
  end(bytes: number): void;
}

/** Part of the worker's text: it must not use anything from outside its own braces. */
export function matchMarks(cells: MatchCells): MatchMarks {
  let bytes = 0;
  return {
    begin: () => void Atomics.store(cells, 0, 1),
    end(matched) {
      Atomics.store(cells, 0, 0);
      bytes += matched;
      Atomics.store(cells, 1, bytes >>> 10);
    },
  };
}

/** The processor time for expressions that only a backtracking engine can evaluate. */
const MAX_MATCH_MS = 2000;
/** An expression that needs more than this does not match in linear time: usual are 1 to 10 µs per KiB. */
const USUAL_MS = 250;
const USUAL_MS_PER_KIB = 0.05;

const SAMPLE_MS = 20;
/** A sample that comes late, because this thread was busy, represents no more than this. */
const MAX_SAMPLE_MS = 200;

export interface MatchMeterOptions {
  readonly cells: MatchCells;
  /** Called once when matching takes longer than usual. */
  readonly onSlow: () => void;
  /** Called once when matching has used up its processor time. */
  readonly onSpent: (fault: SearchFault) => void;
}

/**
 * Measures the processor time that the worker spends in JavaScript's expression engine, by sampling: Node cannot
 * measure one thread. A sample counts no more than the processor time of the whole process, so a search is not
 * charged for a busy machine. Returns a function that stops it.
 */
export function watchMatching({ cells, onSlow, onSpent }: MatchMeterOptions): () => void {
  let spentMs = 0;
  let isSlow = false;
  let wallMs = performance.now();
  let cpuMs = processorMs();
  const sample = (): void => {
    const [nowMs, nowCpuMs] = [performance.now(), processorMs()];
    if (Atomics.load(cells, 0) === 1) spentMs += Math.min(nowMs - wallMs, nowCpuMs - cpuMs, MAX_SAMPLE_MS);
    [wallMs, cpuMs] = [nowMs, nowCpuMs];
    if (!isSlow && spentMs > USUAL_MS + USUAL_MS_PER_KIB * Atomics.load(cells, 1)) {
      isSlow = true;
      onSlow();
    }
    if (spentMs <= MAX_MATCH_MS) return;
    clearInterval(timer);
    onSpent(matchingSpent());
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return () => clearInterval(timer);
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function matchingSpent(): SearchFault {
  return new SearchFault(
    "budget",
    `matching took more than ${showDuration(MAX_MATCH_MS)} of processor time; use a simpler pattern: no lookarounds, ` +
      "back-references or repetitions inside repetitions",
  );
}
