import { CoreError, describeError, type ProcessTree } from "../../../core/index.ts";
import type { ShellExit, ShellProcess, ShellSpawnOptions } from "../../contract/index.ts";
import { type CaptureFile, openCaptureFile } from "./capture-file.ts";
import { launchShell } from "./launch-shell.ts";
import type { LocalShellOptions } from "./local-shell-options.ts";

/** Starts a command line in the background, with its output in a file. */
export async function spawnLocally(
  command: string,
  options: ShellSpawnOptions,
  shell: LocalShellOptions,
): Promise<ShellProcess> {
  const { outputPath, maxOutputBytes, cwd, env } = options;
  const capture = outputPath === undefined ? undefined : await openOutput(outputPath, maxOutputBytes);
  const listen = capture ? (chunk: Buffer) => capture.append(chunk) : undefined;
  try {
    const tree = await launchShell(
      command,
      {
        ...(cwd === undefined ? {} : { cwd }),
        ...(env === undefined ? {} : { env }),
        ...(listen ? { onStdout: listen, onStderr: listen } : {}),
      },
      shell,
    );
    return processOf(tree, capture);
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

function processOf(tree: ProcessTree, capture: CaptureFile | undefined): ShellProcess {
  // The exit is reported when the file is complete, so that listeners can read all of it.
  const exit = tree.gone.then(async ({ code, signal }): Promise<ShellExit> => {
    await capture?.close();
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
