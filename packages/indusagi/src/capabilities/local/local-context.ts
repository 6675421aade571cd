import { resolve } from "node:path";
import { mintUlid } from "../../core/index.ts";
import type {
  Framework,
  Fs,
  OutputBudget,
  ReadStateHandle,
  SessionContext,
  Shell,
} from "../contract/index.ts";
import { standardBudget } from "../kernel/index.ts";
import { localFs } from "./files/local-fs.ts";
import type { Roots } from "./files/roots.ts";
import { localShell } from "./shell/local-shell.ts";
import { sessionShell } from "./shell/session-shell.ts";

export interface LocalContextOptions {
  readonly contextId?: string;
  readonly fs?: Fs;
  readonly shell?: Shell;
  /** Aborts every call of the session. */
  readonly signal?: AbortSignal;
  readonly budget?: OutputBudget;
  /** Switches on the read-before-edit gate. */
  readonly readState?: ReadStateHandle;
  /** Folders that may be read. Default: `cwd` alone. */
  readonly read?: Roots;
  /** Folders that may be written to. Default: `cwd` alone. */
  readonly write?: Roots;
}

/** A session on this machine. Whoever made it closes it: that ends its commands and what its tools left running. */
export interface LocalContext extends SessionContext, AsyncDisposable {
  close(): Promise<void>;
}

/**
 * A session in a folder of this machine. Reading and writing are confined to that folder unless the options open more:
 * a path a model was talked into must not reach the rest of the disk.
 */
export function makeLocalContext(cwd: string, options: LocalContextOptions = {}): LocalContext {
  const home = resolve(cwd);
  const shell = sessionShell(options.shell ?? localShell());
  const ends: (() => Promise<void>)[] = [() => shell.close()];
  let isClosed = false;
  const endAll = async (): Promise<void> => {
    await Promise.allSettled(ends.splice(0).map(async (end) => end()));
  };
  const close = (): Promise<void> => {
    isClosed = true;
    return endAll();
  };
  const framework: Framework = {
    onClose: (end) => {
      ends.push(end);
      // A call may outlast its session: what it leaves behind now would never be ended.
      if (isClosed) void endAll();
    },
    ...(options.readState ? { readState: options.readState } : {}),
  };
  return {
    contextId: options.contextId ?? mintUlid(),
    cwd: home,
    fs: options.fs ?? localFs({ read: options.read ?? [home], write: options.write ?? [home] }),
    shell: shell.shell,
    ...(options.signal ? { signal: options.signal } : {}),
    budget: options.budget ?? standardBudget(),
    framework,
    close,
    [Symbol.asyncDispose]: close,
  };
}
