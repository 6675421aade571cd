import { shutdownSignal } from "../boot/internal.ts";
import { COMMANDS, drainTimeMs, logTarget, outlivesParent, runCommand, showText } from "../commands/index.ts";
import { parseArguments, refusesColours } from "../launch/internal.ts";
import { openLog, processTerminal, withoutColours } from "../screen/terminal/index.ts";

// The bundle of the command is CommonJS, which has no top-level await.
void main();

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const line = parseArguments(words, COMMANDS);
  const screen = refusesColours(words) ? withoutColours(processTerminal) : processTerminal;
  if (line.kind === "help" || line.kind === "version") {
    // There is nothing to end, so nothing listens for it; only a closed output must not be an uncaught exception.
    process.stdout.on("error", () => {});
    await showText(line, screen);
    return;
  }
  let terminal = screen;
  const report = (message: string): void => terminal.err(`indus: ${message}\n`);
  const shutdown = shutdownSignal({
    outlivesParent: outlivesParent(line),
    drainMs: drainTimeMs(line),
    report,
  });
  let log: Awaited<ReturnType<typeof openLog>> | undefined;
  try {
    const target = logTarget(line);
    log = target && (await openLog(screen, target));
    if (log) terminal = log.terminal;
    process.exitCode = shutdown.exitCode(await runCommand(line, { terminal, signal: shutdown.signal }));
  } catch (thrown) {
    report(thrown instanceof Error ? thrown.message : String(thrown));
    process.exitCode = shutdown.exitCode(1);
  } finally {
    await log?.[Symbol.asyncDispose]();
    shutdown[Symbol.dispose]();
  }
}
