import type { ShellProcess, ToolContext } from "indusagi/capabilities";
import { systemClock } from "indusagi/core";
import type { Daemon, DaemonStream } from "./daemon.ts";
import { LineRing, STREAM_START } from "./line-ring.ts";
import { newLogPath } from "./log-folder.ts";

/** Starts a command with its output in a log file and, line by line, in memory. */
export async function startDaemon(id: string, command: string, ctx: ToolContext): Promise<Daemon> {
  const { cwd, fs, shell, framework } = ctx;
  const streams = { stdout: newStream(), stderr: newStream() };
  const logPath = await newLogPath(id, ctx);
  const removeLog = (): Promise<void> => fs.rm(logPath, { ignoreMissing: true }).catch(() => {});
  let process: ShellProcess;
  try {
    process = await shell.spawn(command, {
      cwd,
      outputPath: logPath,
      onOutput: (stream, text) => streams[stream].lines.push(text),
    });
  } catch (thrown) {
    await removeLog();
    throw thrown;
  }
  const startedMs = systemClock.monotonicMs();
  return { id, command, logPath, process, startedMs, streams, owner: framework, removeLog };
}

function newStream(): DaemonStream {
  return { lines: new LineRing(), shown: STREAM_START };
}
