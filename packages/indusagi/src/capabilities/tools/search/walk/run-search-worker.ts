import type * as nodeFs from "node:fs";
import { sep } from "node:path";
import type * as nodeThreads from "node:worker_threads";
import { MessageChannel, type Worker } from "node:worker_threads";
import { describeError, onAbort } from "../../../../core/index.ts";
import type { Fs } from "../../../contract/index.ts";
import { linearMatchers } from "../pattern/linear-matcher.ts";
import { SearchFault } from "../search-fault.ts";
import type { ByteText, FindAnswer, FindJob, GrepAnswer, GrepJob, SearchJob } from "../search-job.ts";
import { spellBytes, toByteText } from "./byte-text.ts";
import { findNames } from "./find-names.ts";
import { gitignoreRules } from "./gitignore-rules.ts";
import { grepTree, type SearchParts } from "./grep-tree.ts";
import { isBinary } from "./is-binary.ts";
import { lineMatcher } from "./match-lines.ts";
import { serveTree } from "./serve-tree.ts";
import { giveBackWorker, takeWorker } from "./spare-worker.ts";
import { localTreePort, remoteTreePort, type TreeChannel } from "./tree-ports.ts";
import { walkTree } from "./walk-tree.ts";

export interface SearchWorkerOptions {
  /** Ends the worker at once; the search then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** The file system to search if it is not the local one. */
  readonly fs?: Fs;
}

/** Runs a search in a worker thread, so that a large tree or a hostile pattern does not block this thread. */
export function runSearchWorker(job: GrepJob, options: SearchWorkerOptions): Promise<GrepAnswer>;
export function runSearchWorker(job: FindJob, options: SearchWorkerOptions): Promise<FindAnswer>;
export async function runSearchWorker(job: SearchJob, { signal, fs }: SearchWorkerOptions): Promise<unknown> {
  signal.throwIfAborted();
  const { port1, port2 } = new MessageChannel();
  const ready = new Int32Array(new SharedArrayBuffer(4));
  const stopServing = fs ? serveTree(fs, { port: port1, ready }, job.limits.fileBytes) : () => port1.close();
  const request: WorkerRequest = { job: inBytes(job), channel: fs ? { port: port2, ready } : undefined };
  const worker = takeWorker(workerText);
  try {
    worker.postMessage(request, fs ? [port2] : []);
    const answer = await answerOf(worker, signal);
    giveBackWorker(worker);
    return answer;
  } catch (thrown) {
    void worker.terminate();
    throw thrown;
  } finally {
    stopServing();
  }
}

/** Waits for the worker's answer. Removes its listeners, because the worker may run another search. */
function answerOf(worker: Worker, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      stopListening();
      act();
    };
    const onMessage = (answer: unknown): void => settle(() => resolve(answer));
    const onError = (cause: unknown): void =>
      settle(() =>
        reject(new SearchFault("engine", `the search failed: ${describeError(cause)}`, { cause })),
      );
    const onExit = (): void =>
      settle(() => reject(new SearchFault("engine", "the search ended without an answer")));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
    const stopListening = onAbort(signal, (reason) => settle(() => reject(reason)));
  });
}

/** The message to the worker. */
interface WorkerRequest {
  readonly job: SearchJob;
  readonly channel: TreeChannel | undefined;
}

interface WorkerParts extends SearchParts {
  readonly grepTree: typeof grepTree;
  readonly findNames: typeof findNames;
  readonly localTreePort: typeof localTreePort;
  readonly remoteTreePort: typeof remoteTreePort;
}

function inBytes(job: SearchJob): SearchJob {
  const slashed = (path: string): ByteText => toByteText(path.replaceAll(sep, "/"));
  const { path, rulesFrom, isFile } = job.root;
  return { ...job, root: { path: slashed(path), rulesFrom: slashed(rulesFrom), isFile } };
}

/** The worker's whole program. Part of its text: it must not use anything from outside its own braces. */
function work(parts: WorkerParts, fs: typeof nodeFs, threads: typeof nodeThreads): void {
  threads.parentPort?.on("message", ({ job, channel }: WorkerRequest) => {
    const port = channel
      ? parts.remoteTreePort(threads, channel)
      : parts.localTreePort(fs, job.limits.fileBytes);
    threads.parentPort?.postMessage(
      job.kind === "grep" ? parts.grepTree(job, port, parts) : parts.findNames(job, port, parts),
    );
  });
}

const workerParts: WorkerParts = {
  gitignoreRules,
  linearMatchers,
  walkTree,
  isBinary,
  lineMatcher,
  spellBytes,
  grepTree,
  findNames,
  localTreePort,
  remoteTreePort,
};

// The worker's program is the text of these functions, not a file, so that it works from source, from the build and in a
// bundle: a bundle may have no file beside it, and Node 20 cannot load TypeScript. A bundler may rename identifiers, but
// must not add calls to its own helpers (esbuild's `keepNames`).
const workerText = `(${String(work)})({ ${Object.entries(workerParts)
  .map(([name, part]) => `${name}: ${String(part)}`)
  .join(",\n")} }, require("node:fs"), require("node:worker_threads"));`;
