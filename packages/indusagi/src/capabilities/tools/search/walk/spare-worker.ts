import { Worker } from "node:worker_threads";

/** Starting a thread takes as long as walking thousands of folders, so one idle thread is kept for a while. */
const KEEP_IDLE_MS = 20_000;

let spare: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;

/** Returns the idle thread or a new one. The caller gives it back or terminates it. */
export function takeWorker(text: string): Worker {
  const worker = spare ?? startWorker(text);
  forgetSpare();
  worker.ref();
  return worker;
}

function startWorker(text: string): Worker {
  const worker = new Worker(text, { eval: true, env: {}, execArgv: [] });
  return worker.once("exit", () => {
    if (spare === worker) forgetSpare();
  });
}

/** Keeps a thread for the next search. It does not keep the process alive, and ends when it stays idle. */
export function giveBackWorker(worker: Worker): void {
  if (spare) return void worker.terminate();
  spare = worker;
  worker.unref();
  idleTimer = setTimeout(() => void worker.terminate(), KEEP_IDLE_MS).unref();
}

function forgetSpare(): void {
  spare = undefined;
  clearTimeout(idleTimer);
}
