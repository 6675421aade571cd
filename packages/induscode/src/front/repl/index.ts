export { openKeyboard } from "./input/open-keyboard.ts";
export { openPromptHistory } from "./input/prompt-history.ts";
export { type ReplOptions, type ReplSession, runRepl } from "./run-repl.ts";

export { openStage } from "./view/stage.ts";
