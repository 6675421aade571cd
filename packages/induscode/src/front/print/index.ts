export { type GivenPrompt, runPrint } from "./run-print.ts";
