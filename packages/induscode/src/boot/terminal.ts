/** Where a command's words go: results to `out`, everything else to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person looks at `out`, so that what others wrote must not reach it as it is. Default false. */
  readonly outIsScreen?: boolean;
  /** Whether a person looks at `err`. Default false. */
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
