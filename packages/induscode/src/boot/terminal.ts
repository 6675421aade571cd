/** Where a command writes: results to `out`, everything else to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether `out` is a screen, where control characters in the text of others must not take effect. Default: false. */
  readonly outIsScreen?: boolean;
  /** Whether `err` is a screen. Default: false. */
  readonly errIsScreen?: boolean;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  get outIsScreen() {
    return process.stdout.isTTY;
  },
  get errIsScreen() {
    return process.stderr.isTTY;
  },
};
