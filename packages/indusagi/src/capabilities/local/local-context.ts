import { resolve } from "node:path";
import { CoreError, joinSignals, mintUlid, type Roots } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type {
  Framework,
  Fs,
  OutputBudget,
  OutputPlace,
  ReadRecord,
  ReadStateHandle,
  SessionContext,
  Shell,
} from "../contract/index.ts";
import { standardBudget } from "../kernel/index.ts";
import { localFs } from "./files/local-fs.ts";
import { localShell } from "./shell/local-shell.ts";

export interface LocalContextOptions {
  readonly contextId?: string;
  readonly fs?: Fs;
  readonly shell?: Shell;
  /** Aborts every call of the session. */
  readonly signal?: AbortSignal;
  readonly budget?: OutputBudget;
  /** Enables the read-before-edit gate. */
  readonly readState?: ReadStateHandle;
  /** Folders that may be read. Default: only `cwd`, and the folder of `outputPlace`. */
  readonly read?: Roots;
  /** Folders that may be written to. Default: only `cwd`. */
  readonly write?: Roots;
  /**
   * Where the whole output of a command goes if it is too long for an answer. Default: `.indus-process` in `cwd`, with a
   * `.gitignore`, and its files are removed when the session ends.
   */
  readonly outputPlace?: OutputPlace;
}

/** A session on this machine. Close it to end its commands and everything its tools left running. */
export interface LocalContext extends SessionContext, AsyncDisposable {
  close(): Promise<void>;
}

/**
 * A session in a folder of this machine. Reading and writing are confined to that folder unless the options allow more:
 * a model may be tricked into using a path elsewhere on the disk.
 */
export function makeLocalContext(cwd: string, options: LocalContextOptions = {}): LocalContext {
  const home = resolve(cwd);
  const readable = [home, ...(options.outputPlace ? [options.outputPlace.folder] : [])];
  const shell = sessionShell(options.shell ?? localShell());
  const closers: (() => Promise<void>)[] = [() => shell.close()];
  let isClosed = false;
  const closeAll = async (): Promise<void> => {
    await Promise.allSettled(closers.splice(0).map(async (closer) => closer()));
  };
  const close = (): Promise<void> => {
    isClosed = true;
    return closeAll();
  };
  const onClose = (closer: () => Promise<void>): void => {
    closers.push(closer);
    // A call may outlive its session; nothing would end what it registers now.
    if (isClosed) void closeAll();
  };
  const { readState, outputPlace } = options;
  const framework: Framework = definedMembers({ onClose, readState, outputPlace });
  let contextId = options.contextId;
  return {
    // Minted by the first call: it loads the source of random numbers, which takes longer than the rest.
    get contextId() {
      contextId ??= mintUlid();
      return contextId;
    },
    cwd: home,
    fs: options.fs ?? localFs({ read: options.read ?? readable, write: options.write ?? [home] }),
    shell: shell.shell,
    ...(options.signal ? { signal: options.signal } : {}),
    budget: options.budget ?? standardBudget(),
    framework,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A read state kept in memory, for one session. */
export function createReadState(): ReadStateHandle {
  const records = new Map<string, ReadRecord>();
  return {
    get: (path) => records.get(path),
    set: (path, record) => void records.set(path, record),
    has: (path) => records.has(path),
  };
}

/** A shell whose commands end with the session. */
interface SessionShell {
  readonly shell: Shell;
  /** Ends running commands, waits for them, and refuses new ones. */
  close(): Promise<void>;
}

/**
 * Binds a shell to a session. The session's signal is joined here and not for every call, because joining costs more
 * than most calls, and only commands can outlive a session. Processes started with `spawn` belong to their caller.
 */
function sessionShell(shell: Shell): SessionShell {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    shell: {
      exec: async (command, options = {}) => {
        closing.signal.throwIfAborted();
        const run = shell.exec(command, { ...options, signal: joinSignals(options.signal, closing.signal) });
        running.add(run);
        try {
          return await run;
        } finally {
          running.delete(run);
        }
      },
      spawn: async (command, options) => {
        closing.signal.throwIfAborted();
        return shell.spawn(command, options);
      },
    },
    close: async () => {
      closing.abort(new CoreError("closed", "the session is closed, so its commands were stopped"));
      await Promise.allSettled(running);
    },
  };
}
