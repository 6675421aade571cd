import type { Run } from "../../boot/internal.ts";
import { completionScript } from "../../launch/completion/index.ts";
import { type CommandSpec, type CommandSpecs, oneWord } from "../../launch/internal.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

interface CompletionRequest {
  readonly shell: (typeof SHELLS)[number];
}

export const COMPLETION: CommandSpec<CompletionRequest> = {
  name: "completion",
  group: "everyday",
  operands: "SHELL",
  choices: SHELLS,
  summary: `Print a completion script for ${SHELLS.join(", ")}.`,
  flags: [],
  examples: ["indus completion bash"],
  read: (flags) => {
    const word = oneWord(flags, "completion", SHELLS);
    return typeof word === "object" ? word : { shell: word };
  },
};

export async function completion(
  { terminal }: Run,
  { shell }: CompletionRequest,
  commands: CommandSpecs,
): Promise<number> {
  terminal.out(completionScript(commands, shell));
  return 0;
}
