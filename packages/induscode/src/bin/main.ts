import { processTerminal } from "../boot/index.ts";
import { shutdownSignal } from "../boot/internal.ts";
import { runCommand } from "../commands/index.ts";
import { parseArguments } from "../launch/index.ts";

const shutdown = shutdownSignal();
try {
  const options = { terminal: processTerminal, signal: shutdown.signal };
  process.exitCode = shutdown.exitCode(await runCommand(parseArguments(process.argv.slice(2)), options));
} catch (thrown) {
  processTerminal.err(`indus: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = shutdown.exitCode(1);
} finally {
  shutdown[Symbol.dispose]();
}
