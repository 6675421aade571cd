/** The limits of one program. Those of time and memory are kept by the program's process and by its parent. */
export interface ProgramLimits {
  /** What a program's values may take. */
  readonly memoryBytes: number;
  /** What the process may take, as its parent sees it. */
  readonly processBytes: number;
  readonly processorMs: number;
  /** From the start to the end, without the time that a question is open. */
  readonly totalMs: number;
  readonly calls: number;
  readonly callsInFlight: number;
  /** What waits at the same time. */
  readonly timers: number;
  /** Of one call. */
  readonly argumentChars: number;
  /** The arguments of all calls that wait for their turn. */
  readonly queuedChars: number;
  /** The answer of one call. */
  readonly answerBytes: number;
  /** What the program returns. */
  readonly valueBytes: number;
  readonly logChars: number;
}

const MIB = 1_048_576;

export const LIMITS: ProgramLimits = {
  memoryBytes: 64 * MIB,
  processBytes: 400 * MIB,
  processorMs: 10_000,
  totalMs: 120_000,
  calls: 1_000,
  callsInFlight: 8,
  timers: 100,
  argumentChars: MIB,
  queuedChars: 16 * MIB,
  answerBytes: 16 * MIB,
  valueBytes: 4 * MIB,
  logChars: MIB,
};

/** The longest message to the process of a program: an answer, or a program. */
export const MAX_TO_PROGRAM: number = 17 * MIB;
/** The longest message from it: what a program returns, and its log. */
export const MAX_FROM_PROGRAM: number = 9 * MIB;
