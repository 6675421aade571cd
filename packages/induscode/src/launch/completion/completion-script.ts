import type { CompletionRequest } from "../commands/client-commands.ts";
import { bashCompletion } from "./bash-completion.ts";
import { type CompletionModel, completionModel } from "./completion-model.ts";
import { fishCompletion } from "./fish-completion.ts";
import { zshCompletion } from "./zsh-completion.ts";

const SCRIPTS: { readonly [shell in CompletionRequest["shell"]]: (model: CompletionModel) => string } = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** The script that completes our commands and flags in a shell, made from the tables of the parser. */
export function completionScript(shell: CompletionRequest["shell"]): string {
  return SCRIPTS[shell](completionModel());
}
