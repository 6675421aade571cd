import type * as nodeFs from "node:fs";
import { sep } from "node:path";
import type * as nodeThreads from "node:worker_threads";
import { MessageChannel } from "node:worker_threads";
import { describeError, joinSignals } from "../../../core/index.ts";
import type { Fs } from "../../contract/index.ts";
import { TextWorker, WorkerFault } from "../../text-worker.ts";
import { linearMatchers } from "../pattern/linear-matcher.ts";
import {
  type ByteText,
  type FindAnswer,
  type FindJob,
  type FoundName,
  type GrepAnswer,
  type GrepJob,
  SearchFault,
  type SearchJob,
} from "../search-job.ts";
import { readByteText, spellBytes, toByteText } from "./byte-text.ts";
import { gitignoreRules } from "./gitignore-rules.ts";
import { grepTree, isBinary, type SearchParts } from "./grep-tree.ts";
import { linearTest, lineMatcher } from "./match-lines.ts";
import { createMatchCells, type MatchCells, matchMarks, watchMatching } from "./match-meter.ts";
import { localTreePort, remoteTreePort, type TreeChannel, type TreeRequest } from "./tree-ports.ts";
import { type TreeEntry, type TreePort, walkTree } from "./walk-tree.ts";

interface SearchWorkerOptions<Job> {
  /** Ends the worker at once; the search then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** The file system to search if it is not the local one. */
  readonly fs?: Fs | undefined;
  /** The same search for the linear engine, if it can express the pattern. Called when matching takes too long. */
  readonly linearJob?: () => Promise<Job | undefined>;
}

/**
 * Runs a search in a worker thread, so a large tree or a hostile pattern does not block this thread. JavaScript's
 * expression engine is fastest for most patterns. If it takes too long, the search starts again with the linear engine;
 * if that one cannot express the pattern, the search fails after a limited processor time.
 */
export function runSearchWorker(job: GrepJob, options: SearchWorkerOptions<GrepJob>): Promise<GrepAnswer>;
export function runSearchWorker(job: FindJob, options: SearchWorkerOptions<FindJob>): Promise<FindAnswer>;
export function runSearchWorker(job: SearchJob, options: SearchWorkerOptions<SearchJob>): Promise<unknown> {
  return runJob(job, options);
}

async function runJob(job: SearchJob, options: SearchWorkerOptions<SearchJob>): Promise<unknown> {
  const { signal, fs, linearJob } = options;
  signal.throwIfAborted();
  const cells = createMatchCells();
  const stop = new AbortController();
  let retry: SearchJob | undefined;
  const switchEngine = async (): Promise<void> => {
    retry = await linearJob?.();
    if (retry) stop.abort();
  };
  const stopWatching = watchMatching({
    cells,
    onSlow: () => void switchEngine().catch((thrown: unknown) => stop.abort(thrown)),
    onSpent: (fault) => stop.abort(fault),
  });
  try {
    return await runOnce(job, cells, { fs, signal: joinSignals(signal, stop.signal) });
  } catch (thrown) {
    if (!retry || !stop.signal.aborted) throw thrown;
  } finally {
    stopWatching();
  }
  return runJob(retry, { signal, fs });
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly fs: Fs | undefined;
}

async function runOnce(job: SearchJob, cells: MatchCells, { signal, fs }: RunOptions): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  const ready = new Int32Array(new SharedArrayBuffer(4));
  const stopServing = fs ? serveTree(fs, { port: port1, ready }, job.limits.fileBytes) : () => port1.close();
  const channel = fs ? { port: port2, ready } : undefined;
  const request: WorkerRequest = { job: inBytes(job), cells, channel };
  try {
    return await worker.ask(request, { signal, transfer: fs ? [port2] : [] });
  } catch (thrown) {
    throw thrown instanceof WorkerFault ? asSearchFault(thrown) : thrown;
  } finally {
    stopServing();
  }
}

/** Serves the worker's requests from a file system of this thread. Returns a function that stops it. */
function serveTree(fs: Fs, channel: TreeChannel, fileBytes: number): () => void {
  const answer = async ({ ask, path }: TreeRequest): Promise<unknown> => {
    try {
      return ask === "list"
        ? await listFolder(fs, readByteText(path))
        : await readWhole(fs, readByteText(path), fileBytes);
    } catch {
      // The search only needs to know that it cannot be read.
      return undefined;
    }
  };
  const reply = (found: unknown): void => {
    channel.port.postMessage(found, []);
    Atomics.store(channel.ready, 0, 1);
    Atomics.notify(channel.ready, 0);
  };
  channel.port.on("message", (request: TreeRequest) => {
    // Reply even if the answer cannot be sent: the worker blocks until it gets one.
    void answer(request)
      .then(reply)
      .catch(() => reply(undefined));
  });
  return () => channel.port.close();
}

async function listFolder(fs: Fs, folder: string): Promise<TreeEntry[]> {
  const entries = await fs.readDir(folder);
  return entries.map((entry) => ({ name: toByteText(entry.name), kind: entry.kind }));
}

async function readWhole(fs: Fs, path: string, fileBytes: number): Promise<Uint8Array | "too_large"> {
  const file = await fs.open(path);
  try {
    return file.info.size > fileBytes ? "too_large" : await file.read(0, file.info.size);
  } finally {
    await file.close();
  }
}

function asSearchFault(fault: WorkerFault): SearchFault {
  const message =
    fault.kind === "threw"
      ? `the search failed: ${describeError(fault.cause)}`
      : "the search ended without an answer";
  return new SearchFault("engine", message, { cause: fault.cause ?? fault });
}

/** The message to the worker. */
interface WorkerRequest {
  readonly job: SearchJob;
  readonly cells: MatchCells;
  readonly channel: TreeChannel | undefined;
}

/** The functions that the worker's text contains. */
interface WorkerParts extends Omit<SearchParts, "load" | "marks"> {
  readonly matchMarks: typeof matchMarks;
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
function work(given: WorkerParts, load: NodeJS.Require): void {
  const fs = load("node:fs") as typeof nodeFs;
  const threads = load("node:worker_threads") as typeof nodeThreads;
  threads.parentPort?.on("message", ({ job, cells, channel }: WorkerRequest) => {
    const parts = { ...given, load, marks: given.matchMarks(cells) };
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
  linearTest,
  matchMarks,
  spellBytes,
  grepTree,
  findNames,
  localTreePort,
  remoteTreePort,
};

// The worker's program is the text of these functions, not a file, so it works from source, from the build and in a
// bundle: a bundle may have no other file, and Node 20 cannot load TypeScript. A bundler may rename identifiers, but
// must not add calls to its own helpers (esbuild's `keepNames`).
const worker = new TextWorker(
  `(${String(work)})({ ${Object.entries(workerParts)
    .map(([name, part]) => `${name}: ${String(part)}`)
    .join(",\n")} }, require);`,
);

/**
 * Finds the names of a tree that match a query.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
function findNames(job: FindJob, port: TreePort, parts: SearchParts): FindAnswer {
  const { query, only, cap } = job;
  const names: FoundName[] = [];
  let total = 0;

  function decoded(bytes: ByteText): string {
    return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, "latin1").toString() : bytes;
  }

  function nameTest(): (name: ByteText, path: ByteText) => boolean {
    if (query.kind === "substring") return (name) => decoded(name).toLowerCase().includes(query.lowerCase);
    const glob = new RegExp(query.source, query.flags);
    const isLinearMatch = query.linear && parts.linearTest(parts.load, query.linear);
    return (name, path) => {
      const text = query.wholePath ? path : name;
      if (isLinearMatch && /^[ -~]*$/.test(text)) return isLinearMatch(text);
      parts.marks.begin();
      const isMatch = glob.test(decoded(text));
      parts.marks.end(text.length);
      return isMatch;
    };
  }

  const isWanted = nameTest();
  const walk = parts.walkTree(
    port,
    parts.gitignoreRules(parts.linearMatchers()),
    job.root,
    ({ name, path, kind }) => {
      if ((only === undefined || only === kind) && isWanted(name, path) && ++total <= cap)
        names.push({ path, kind });
      return true;
    },
  );
  return { names, total, unreadable: walk.unreadable };
}
