import { CoreError, describeError, type OutputListener, type ProcessTree } from "../../../core/index.ts";
import { definedMembers } from "../../../core/internal.ts";
import type { ShellExit, ShellProcess, ShellSpawnOptions, ShellStream } from "../../contract/index.ts";
import { type CaptureFile, openCaptureFile } from "./capture-file.ts";
import { createOutputTap, type LocalShellOptions, launchShell } from "./launch-shell.ts";

/** Starts a command line in the background, with its output in a file, passed to a listener, or both. */
export async function spawnLocally(
  command: string,
  options: ShellSpawnOptions,
  shell: LocalShellOptions,
): Promise<ShellProcess> {
  const { outputPath, maxOutputBytes, cwd, env, wrap } = options;
  const capture = outputPath === undefined ? undefined : await openOutput(outputPath, maxOutputBytes);
  const tap = createOutputTap(options);
  const listen =
    capture || options.onOutput
      ? (stream: ShellStream): OutputListener =>
          (chunk) => {
            tap.write(stream, chunk);
            return capture?.append(chunk);
          }
      : undefined;
  try {
    const tree = await launchShell(
      command,
      definedMembers({
        cwd,
        env,
        wrap,
        onStdout: listen?.("stdout"),
        onStderr: listen?.("stderr"),
      }),
      shell,
    );
    return processOf(tree, async () => {
      tap.end();
      await capture?.close();
    });
  } catch (thrown) {
    await capture?.close();
    throw thrown;
  }
}

const END_GRACE_MS = 1_000;

async function openOutput(path: string, maxBytes: number | undefined): Promise<CaptureFile> {
  try {
    return await openCaptureFile(path, maxBytes);
  } catch (cause) {
    throw new CoreError("output_file", `could not open ${path} for the output: ${describeError(cause)}`, {
      cause,
    });
  }
}

function processOf(tree: ProcessTree, finish: () => Promise<void>): ShellProcess {
  // The exit is reported after all output was passed on, so exit listeners have all of it.
  const exit = tree.gone.then(async ({ code, signal }): Promise<ShellExit> => {
    await finish();
    return exitOf(code, signal);
  });
  return {
    pid: tree.pid,
    kill: (signal) => tree.kill(signal),
    async end(graceMs = END_GRACE_MS) {
      const { code, signal, survivors } = await tree.end({ graceMs });
      return survivors.length === 0 ? exit : exitOf(code, signal);
    },
    onExit(listener) {
      let listening = true;
      void exit.then((status) => {
        if (listening) listener(status);
      });
      return () => {
        listening = false;
      };
    },
  };
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): ShellExit {
  return signal === null ? { code } : { code, signal };
}
