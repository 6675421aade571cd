export { COMMANDS } from "./command-table.ts";
export { runCommand, showText } from "./run-command.ts";
export { drainTimeMs, logTarget, outlivesParent } from "./serve/serve-line.ts";
