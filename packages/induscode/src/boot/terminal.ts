/** Where a command's words go: results to `out`, everything else to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};
