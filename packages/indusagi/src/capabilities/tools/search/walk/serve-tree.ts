import type { Fs } from "../../../contract/index.ts";
import { readByteText, toByteText } from "./byte-text.ts";
import type { TreeChannel, TreeRequest } from "./tree-ports.ts";
import type { TreeEntry } from "./walk-tree.ts";

/** Serves the worker's requests from a file system of this thread. Returns a function that stops it. */
export function serveTree(fs: Fs, channel: TreeChannel, fileBytes: number): () => void {
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
    // Reply also if the answer cannot be sent: the worker blocks until it gets one.
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
