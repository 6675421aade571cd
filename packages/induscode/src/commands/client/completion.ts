import type { Run } from "../../boot/internal.ts";
import { completionScript } from "../../launch/completion/index.ts";
import type { CompletionRequest } from "../../launch/internal.ts";

/** `indus completion`: prints a script for a shell. */
export async function completion({ terminal }: Run, { shell }: CompletionRequest): Promise<number> {
  terminal.out(completionScript(shell));
  return 0;
}
