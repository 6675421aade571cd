import type * as nodeFs from "node:fs";
import type * as nodeThreads from "node:worker_threads";
import type { ByteText, EntryKind } from "../search-job.ts";
import type { TreeEntry, TreePort } from "./walk-tree.ts";

/**
 * The local disk.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function localTreePort(fs: typeof nodeFs, fileBytes: number): TreePort {
  // Windows lacks the last two; undefined counts as 0 in a bitwise or.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  // One more byte than allowed: a file that fills the buffer is too large, without a stat.
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
      // A short read that is not a multiple of a page means the end of the file.
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
        // Do not block and do not follow: the name may have become a pipe or a link since it was listed.
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

/** A request of the worker to the thread that owns the file system. */
export interface TreeRequest {
  readonly ask: "list" | "read";
  readonly path: ByteText;
}

/** The channel between the worker and that thread. */
export interface TreeChannel {
  readonly port: nodeThreads.MessagePort;
  /** Becomes 1 when an answer has been sent. */
  readonly ready: Int32Array;
}

/**
 * A file system in another thread. Each request blocks the worker until the answer is there.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function remoteTreePort(threads: typeof nodeThreads, channel: TreeChannel): TreePort {
  function ask(request: TreeRequest): unknown {
    channel.port.postMessage(request, []);
    Atomics.wait(channel.ready, 0, 0);
    Atomics.store(channel.ready, 0, 0);
    return threads.receiveMessageOnPort(channel.port)?.message;
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
