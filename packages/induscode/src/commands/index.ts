export { runCommand } from "./run-command.ts";
