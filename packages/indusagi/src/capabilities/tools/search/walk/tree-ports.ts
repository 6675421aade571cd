import type * as nodeFs from "node:fs";
import type * as nodeThreads from "node:worker_threads";
import type { ByteText, EntryKind } from "../search-job.ts";
import type { TreeEntry, TreePort } from "./walk-tree.ts";

/**
 * This machine's disk.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function localTreePort(fs: typeof nodeFs, fileBytes: number): TreePort {
  // Windows (untested) lacks the last two; nothing, in a bitwise or, counts as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  // One byte more than wanted tells a file that is too large without asking for its size.
  const buffer = Buffer.allocUnsafeSlow(fileBytes + 1);

  function onDisk(path: ByteText): string | Buffer {
    return /[\x80-\xff]/.test(path) ? Buffer.from(path, "latin1") : path;
  }

  function kindOf(entry: nodeFs.Dirent): EntryKind {
    if (entry.isFile()) return "file";
    if (entry.isDirectory()) return "directory";
    return entry.isSymbolicLink() ? "symlink" : "other";
  }

  function readAll(file: number): number {
    let length = 0;
    let got: number;
    do {
      got = fs.readSync(file, buffer, length, buffer.length - length, length);
      length += got;
      // A disk that hands out less than was asked for hands out whole pages: anything else is the end.
    } while (got > 0 && got % 4096 === 0 && length < buffer.length);
    return length;
  }

  return {
    list(folder): TreeEntry[] | undefined {
      try {
        const entries = fs.readdirSync(onDisk(folder), { withFileTypes: true, encoding: "latin1" });
        return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
      } catch {
        return undefined;
      }
    },
    read(path, links): Buffer | "too_large" | undefined {
      let file: number | undefined;
      try {
        // Not waiting and not following: the name may have become a pipe or a link since it was listed.
        file = fs.openSync(onDisk(path), O_RDONLY | O_NONBLOCK | (links === "refuse" ? O_NOFOLLOW : 0));
        const length = readAll(file);
        return length > fileBytes ? "too_large" : buffer.subarray(0, length);
      } catch {
        return undefined;
      } finally {
        if (file !== undefined) fs.closeSync(file);
      }
    },
  };
}

/** A question of the worker to the thread that owns the file system. */
export interface TreeQuestion {
  readonly ask: "list" | "read";
  readonly path: ByteText;
}

/** How the worker asks and waits for the answer. */
export interface TreeLine {
  readonly port: nodeThreads.MessagePort;
  /** Becomes 1 when an answer has been sent. */
  readonly bell: Int32Array;
}

/**
 * A file system that lives in another thread, asked one question at a time: the worker sleeps until the answer is there.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function remoteTreePort(threads: typeof nodeThreads, line: TreeLine): TreePort {
  function ask(question: TreeQuestion): unknown {
    line.port.postMessage(question, []);
    Atomics.wait(line.bell, 0, 0);
    Atomics.store(line.bell, 0, 0);
    return threads.receiveMessageOnPort(line.port)?.message;
  }

  return {
    list: (folder) => ask({ ask: "list", path: folder }) as TreeEntry[] | undefined,
    read(file) {
      const answer = ask({ ask: "read", path: file }) as Uint8Array | "too_large" | undefined;
      return typeof answer === "object"
        ? Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength)
        : answer;
    },
  };
}
