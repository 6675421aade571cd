/** How a misbehaving server starts, and which tools it lists. */
export interface EvilOptions {
  readonly era?: "legacy" | "modern";
  readonly start?: "mute" | "chatty" | "lines" | "line" | "exit";
  readonly bytes?: number;
  readonly code?: number;
  readonly ignoreTerm?: boolean;
  readonly ignoreEnd?: boolean;
  readonly cursor?: "same" | "alternating" | "new" | "empty" | "no-text" | "huge";
  readonly count?: number;
  readonly definitions?: readonly unknown[];
}
/** What a misbehaving server without a process needs from the test. */
export interface EvilIo {
  send(message: unknown): void;
  write?(text: string): void;
  exit?(how: unknown): void;
}
export function createEvil(io: EvilIo, options?: EvilOptions): (message: unknown) => void;
