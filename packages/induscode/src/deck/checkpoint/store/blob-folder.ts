import type { Hash } from "node:crypto";
import { join } from "node:path";
import { mintUlid } from "indusagi/core";
import type { FileState } from "../../contract/index.ts";
import type { LogFile } from "../../ledger-log/index.ts";
import { readLogBytes, writeLogBytes } from "../../ledger-log/internal.ts";
import type { FileMark } from "../file-mark.ts";
import { type CheckpointDisk, removeIfThere } from "./checkpoint-disk.ts";

type Content = Pick<FileMark, "hash" | "size">;

const PIECE_BYTES = 256 * 1024;

/** The contents of a session's files, one file each, named after the hash. */
export class BlobFolder {
  readonly #disk: CheckpointDisk;
  readonly #folder: string;

  constructor(disk: CheckpointDisk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  /** Resolves when the content is flushed under its hash. A failure leaves nothing. */
  async keep(bytes: FileState["bytes"]): Promise<Content> {
    if (bytes instanceof Uint8Array) {
      const content = { hash: newHash().update(bytes).digest("hex"), size: bytes.length };
      if (await this.#has(content)) return content;
    }
    const temp = join(this.#folder, `${mintUlid()}.tmp`);
    try {
      const content = await this.#write(temp, bytes);
      if (await this.#has(content)) await this.#disk.remove(temp);
      else await this.#disk.rename(temp, this.#path(content.hash));
      await this.#disk.syncFolder(this.#folder);
      return content;
    } catch (thrown) {
      await removeIfThere(this.#disk, temp).catch(() => {});
      throw thrown;
    }
  }

  /**
   * Keeps one of many contents with a known hash, without flushing. If a power cut damages it, the hash shows that when it is
   * used. A failure leaves nothing.
   */
  put(hash: string, bytes: Uint8Array): void {
    this.#disk.writeNow(this.#path(hash), bytes);
  }

  /** The hashes of the kept contents, and possibly other names. */
  names(): Promise<readonly string[]> {
    return this.#disk.list(this.#folder);
  }

  async read(hash: string): Promise<Buffer> {
    const file = await this.open(hash);
    const pieces: Uint8Array[] = [];
    try {
      const content = await hashFile(file, async (piece) => void pieces.push(Buffer.from(piece)));
      if (content.hash !== hash) throw new Error(`the kept content ${hash} is damaged`);
    } finally {
      await file.close();
    }
    return Buffer.concat(pieces);
  }

  open(hash: string): Promise<LogFile> {
    return this.#disk.open(this.#path(hash), "read");
  }

  /** Removes all other contents, and what killed writers left. */
  async sweep(kept: ReadonlyMap<string, unknown>): Promise<void> {
    for (const name of await this.#disk.list(this.#folder))
      if (!kept.has(name)) await removeIfThere(this.#disk, join(this.#folder, name));
  }

  async #write(path: string, bytes: FileState["bytes"]): Promise<Content> {
    const file = await this.#disk.open(path, "create");
    const hash = newHash();
    let size = 0;
    try {
      for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
        hash.update(piece);
        await writeLogBytes(file, piece, size);
        size += piece.length;
      }
      await file.sync();
    } catch (thrown) {
      await file.close().catch(() => {});
      throw thrown;
    }
    await file.close(); // Not ignored: a network file system may report only now that it is full.
    return { hash: hash.digest("hex"), size };
  }

  async #has({ hash, size }: Content): Promise<boolean> {
    return (await this.#disk.look(this.#path(hash)))?.size === size;
  }

  #path(hash: string): string {
    return join(this.#folder, hash);
  }
}

/**
 * Reads an open file and calls `take` with each piece. Stops at the size the file had at the start: a file that keeps growing
 * never ends.
 */
export async function hashFile(
  file: LogFile,
  take: (piece: Uint8Array, position: number) => Promise<void> = async () => {},
): Promise<Content> {
  const hash = newHash();
  const end = await file.size();
  let size = 0;
  while (size < end) {
    const piece = await readLogBytes(file, size, Math.min(PIECE_BYTES, end - size));
    if (piece.length === 0) break;
    hash.update(piece);
    await take(piece, size);
    size += piece.length;
  }
  return { hash: hash.digest("hex"), size };
}

/** The hash and size of a content, read once. */
export async function hashContent(bytes: FileState["bytes"]): Promise<Content> {
  const hash = newHash();
  let size = 0;
  for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
    hash.update(piece);
    size += piece.length;
  }
  return { hash: hash.digest("hex"), size };
}

function newHash(): Hash {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}
