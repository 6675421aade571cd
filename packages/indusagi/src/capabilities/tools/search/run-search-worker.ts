import type * as nodeFs from "node:fs";
import { sep } from "node:path";
import type * as nodeThreads from "node:worker_threads";
import { MessageChannel, Worker } from "node:worker_threads";
import { describeError } from "../../../core/index.ts";
import type { Fs } from "../../contract/index.ts";
import { spellBytes, toByteText } from "./byte-text.ts";
import { findNames } from "./find-names.ts";
import { gitignoreRules } from "./gitignore-rules.ts";
import { grepTree, type SearchParts } from "./grep-tree.ts";
import { isBinary } from "./is-binary.ts";
import { lineMatcher } from "./match-lines.ts";
import { SearchFault } from "./search-fault.ts";
import type { ByteText, FindAnswer, FindJob, GrepAnswer, GrepJob, SearchJob } from "./search-job.ts";
import { serveTree } from "./serve-tree.ts";
import { localTreePort, remoteTreePort, type TreeLine } from "./tree-ports.ts";
import { walkTree } from "./walk-tree.ts";

export interface SearchWorkerOptions {
  /** Ends the worker, whatever it is doing; the search then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** The file system to search when it is not this machine's own. */
  readonly fs?: Fs;
}

/** Runs a search in a thread of its own, so that neither a large tree nor a hostile pattern holds up this one. */
export function runSearchWorker(job: GrepJob, options: SearchWorkerOptions): Promise<GrepAnswer>;
export function runSearchWorker(job: FindJob, options: SearchWorkerOptions): Promise<FindAnswer>;
export function runSearchWorker(job: SearchJob, { signal, fs }: SearchWorkerOptions): Promise<unknown> {
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  const { port1, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const stopServing = fs ? serveTree(fs, { port: port1, bell }, job.limits.fileBytes) : () => port1.close();
  const order: SearchOrder = { job: inBytes(job), line: fs ? { port: port2, bell } : undefined };
  const worker = new Worker(workerText, {
    eval: true,
    workerData: order,
    transferList: fs ? [port2] : [],
    env: {},
    execArgv: [],
  });

  return new Promise<unknown>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.once("message", resolve);
    worker.once("error", (cause) =>
      reject(new SearchFault("engine", `the search broke: ${describeError(cause)}`, { cause })),
    );
    worker.once("exit", () => {
      signal.removeEventListener("abort", onAbort);
      reject(new SearchFault("engine", "the search ended without an answer"));
    });
  }).finally(() => {
    stopServing();
    void worker.terminate();
  });
}

/** What the worker finds on its desk. */
interface SearchOrder {
  readonly job: SearchJob;
  readonly line: TreeLine | undefined;
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

/** The worker's first and last function. Part of its text: it must not use anything from outside its own braces. */
function work(parts: WorkerParts, fs: typeof nodeFs, threads: typeof nodeThreads): void {
  const { job, line } = threads.workerData as SearchOrder;
  const port = line ? parts.remoteTreePort(threads, line) : parts.localTreePort(fs, job.limits.fileBytes);
  threads.parentPort?.postMessage(
    job.kind === "grep" ? parts.grepTree(job, port, parts) : parts.findNames(job, port, parts),
  );
}

const workerParts: WorkerParts = {
  gitignoreRules,
  walkTree,
  isBinary,
  lineMatcher,
  spellBytes,
  grepTree,
  findNames,
  localTreePort,
  remoteTreePort,
};

// The worker is made of the functions' own text, not of a file: it is the same from source, from the build and inside a
// bundle, where a file next to this one may not exist, and Node 20 could not load a TypeScript one. A bundler may shorten
// the names in it, but not add calls to helpers of its own (esbuild's `keepNames`).
const workerText = `(${String(work)})({ ${Object.entries(workerParts)
  .map(([name, part]) => `${name}: ${String(part)}`)
  .join(",\n")} }, require("node:fs"), require("node:worker_threads"));`;
