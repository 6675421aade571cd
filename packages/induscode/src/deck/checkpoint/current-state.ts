import { type Fs, FsError, type FsFile } from "indusagi/capabilities";
import type { FileState } from "../contract/index.ts";

const PIECE_BYTES = 256 * 1024;
/** Larger files are read in pieces. */
const MAX_WHOLE_BYTES = 1024 * 1024;

/** Reading the file failed, as opposed to the one who takes its bytes. */
export class UnreadableError extends Error {}

/**
 * Calls `use` with the current state of a path: a file, or `undefined` if there is none. Rejects with an
 * `UnreadableError` if the file cannot be read.
 */
export async function withCurrentState(
  fs: Fs,
  path: string,
  use: (state: FileState | undefined) => Promise<void>,
): Promise<void> {
  const file = await openIfThere(fs, path);
  if (!file) return use(undefined);
  const { size, mode } = file.info;
  const reading: Reading = { file };
  try {
    const bytes = size > MAX_WHOLE_BYTES ? piecesOf(reading) : await readPart(reading, 0, size);
    await use({ bytes, ...(mode === undefined ? {} : { mode }) });
  } catch (thrown) {
    // Whatever `use` made of the failure to read.
    throw reading.failure ?? thrown;
  } finally {
    await file.close();
  }
}

interface Reading {
  readonly file: FsFile;
  failure?: UnreadableError;
}

async function openIfThere(fs: Fs, path: string): Promise<FsFile | undefined> {
  try {
    return await fs.open(path);
  } catch (cause) {
    if (cause instanceof FsError && cause.kind === "not_found") return undefined;
    throw new UnreadableError("the file cannot be opened", { cause });
  }
}

/** Reads as much as the file had when it was opened: a file that grows all the time has no end. */
async function* piecesOf(reading: Reading): AsyncGenerator<Uint8Array> {
  const { size } = reading.file.info;
  const buffer = new Uint8Array(PIECE_BYTES);
  for (let position = 0; position < size; position += PIECE_BYTES)
    yield await readPart(reading, position, Math.min(PIECE_BYTES, size - position), buffer);
}

async function readPart(
  reading: Reading,
  position: number,
  length: number,
  into?: Uint8Array,
): Promise<Uint8Array> {
  try {
    const piece = await reading.file.read(position, length, into);
    if (piece.length === length) return piece;
    throw new UnreadableError("the file became shorter while it was read");
  } catch (cause) {
    reading.failure = new UnreadableError("the file cannot be read", { cause });
    throw reading.failure;
  }
}
