import type { Fs } from "../../../contract/index.ts";
import { readByteText, toByteText } from "./byte-text.ts";
import type { TreeLine, TreeQuestion } from "./tree-ports.ts";
import type { TreeEntry } from "./walk-tree.ts";

/** Answers the worker's questions from a file system of this thread. Returns the way to stop. */
export function serveTree(fs: Fs, line: TreeLine, fileBytes: number): () => void {
  const answer = async ({ ask, path }: TreeQuestion): Promise<unknown> => {
    try {
      return ask === "list"
        ? await listFolder(fs, readByteText(path))
        : await readWhole(fs, readByteText(path), fileBytes);
    } catch {
      // Whatever the reason, to the search it is a name that cannot be read.
      return undefined;
    }
  };
  const reply = (found: unknown): void => {
    line.port.postMessage(found, []);
    Atomics.store(line.bell, 0, 1);
    Atomics.notify(line.bell, 0);
  };
  line.port.on("message", (question: TreeQuestion) => {
    // What cannot be sent counts as not found: the worker must not be left waiting.
    void answer(question)
      .then(reply)
      .catch(() => reply(undefined));
  });
  return () => line.port.close();
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
