import { processTerminal } from "../boot/index.ts";
import { shutdownSignal } from "../boot/internal.ts";
import { runInvocation } from "../commands/index.ts";
import { parseArguments } from "../launch/index.ts";

const ending = shutdownSignal();
try {
  const earned = await runInvocation(parseArguments(process.argv.slice(2)), processTerminal, ending.signal);
  process.exitCode = ending.exitCode(earned);
} catch (thrown) {
  processTerminal.err(`indus: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = ending.exitCode(1);
} finally {
  ending[Symbol.dispose]();
}
