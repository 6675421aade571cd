import { processTerminal } from "../boot/index.ts";
import { outlivesParent, shutdownSignal } from "../boot/internal.ts";
import { runCommand } from "../commands/index.ts";
import { parseArguments } from "../launch/index.ts";

const invocation = parseArguments(process.argv.slice(2));
const report = (message: string): void => processTerminal.err(`indus: ${message}\n`);
const shutdown = shutdownSignal({ outlivesParent: outlivesParent(invocation), report });
try {
  const options = { terminal: processTerminal, signal: shutdown.signal };
  process.exitCode = shutdown.exitCode(await runCommand(invocation, options));
} catch (thrown) {
  report(thrown instanceof Error ? thrown.message : String(thrown));
  process.exitCode = shutdown.exitCode(1);
} finally {
  shutdown[Symbol.dispose]();
}
