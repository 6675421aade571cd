import { mintUlid } from "../ulid.ts";
import { drainOutput } from "./drain-output.ts";
import { endTree } from "./end-tree.ts";
import { createInputQueue } from "./input-queue.ts";
import { announceTree, ownTree, releaseTree, retractTree } from "./owned-trees.ts";
import type { ProcessTree, TreeEnd, TreeExit, TreeOptions } from "./process-tree.ts";
import { spawnChild } from "./spawn-child.ts";
import { loadTreeControl, type TreeControl } from "./tree-control.ts";
import type { TreeRecord } from "./tree-record.ts";
import { within } from "./within.ts";

/** What `startTree` does once its machinery is loaded. */
export async function launchTree(
  command: string,
  args: readonly string[],
  options: TreeOptions,
): Promise<ProcessTree> {
  const control = await loadTreeControl();
  const cookie = mintUlid();
  announceTree(cookie);
  try {
    const child = await spawnChild(command, args, { ...options, cookie });
    const record = recordOf(child.pid, cookie, control);
    ownTree(record, control);
    return followTree(child, { record, control, options });
  } catch (thrown) {
    retractTree(cookie);
    throw thrown;
  }
}

type StartedChild = Awaited<ReturnType<typeof spawnChild>>;

interface Followed {
  readonly record: TreeRecord;
  readonly control: TreeControl;
  readonly options: TreeOptions;
}

const DRAIN_GRACE_MS = 100;
const LAST_WORDS_MS = 1_000;
const END_GRACE_MS = 1_000;
/** What a command left behind has lost whoever could still want something of it. */
const LEFTOVER_GRACE_MS = 200;
const MAX_QUEUED_INPUT_BYTES = 16 * 1024 * 1024;

function recordOf(pid: number, cookie: string, control: TreeControl): TreeRecord {
  const startTime = control.startTimeOf(pid) ?? 0;
  return {
    cookie,
    root: { pid, startTime },
    remembered: new Map([[pid, startTime]]),
    sinceMs: performance.now(),
    rootExited: false,
  };
}

function followTree(child: StartedChild, { record, control, options }: Followed): ProcessTree {
  const { drainGraceMs = DRAIN_GRACE_MS, maxQueuedInputBytes = MAX_QUEUED_INPUT_BYTES } = options;
  const stdout = drainOutput(child.stdout, options.onStdout);
  const stderr = drainOutput(child.stderr, options.onStderr);
  const heard = Promise.all([stdout.ended, stderr.ended]);
  const input = createInputQueue(child.stdin, maxQueuedInputBytes);
  let ladder: Promise<readonly number[]> | undefined;

  const exited = new Promise<TreeExit>((resolve) => {
    child.once("exit", (code, signal) => {
      record.rootExited = true;
      resolve({ code, signal });
    });
  });

  const hangUp = (): void => {
    input.destroy();
    stdout.destroy();
    stderr.destroy();
  };

  /** Once the process has exited: hear it out, end what it left, hear what that still said. */
  const finish = async (): Promise<TreeEnd> => {
    const exit = await exited;
    await within(heard, drainGraceMs);
    const survivors = await (ladder ?? endTree(record, control, LEFTOVER_GRACE_MS));
    // Nobody is left to hold the pipes: their end comes as soon as the listener has caught up.
    await within(heard, LAST_WORDS_MS);
    hangUp();
    if (survivors.length === 0) releaseTree(record);
    return { ...exit, survivors };
  };
  const gone = finish();

  const climb = async (graceMs: number): Promise<readonly number[]> => {
    input.close();
    if (child.stdin) await within(exited, graceMs);
    return endTree(record, control, graceMs);
  };

  return {
    pid: child.pid,
    exited,
    gone,
    write: (data) => input.write(data),
    closeInput: () => input.close(),
    kill: (signal = "SIGTERM") => control.signal(record, signal),
    async end({ graceMs = END_GRACE_MS } = {}) {
      ladder ??= climb(graceMs);
      const survivors = await ladder;
      if (survivors.length === 0) return gone;
      hangUp();
      return { code: child.exitCode, signal: child.signalCode, survivors };
    },
  };
}
