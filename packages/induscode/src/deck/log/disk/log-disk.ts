/** One open file of a log. */
export interface LogFile {
  /** The size of the file in bytes. */
  size(): Promise<number>;
  /** Up to `length` bytes from `position`. Fewer do not mean the end of the file; none do. They may be put into `reuse`. */
  read(position: number, length: number, reuse?: Uint8Array): Promise<Uint8Array>;
  /** Writes at `position` and returns the number of bytes written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Resolves when everything written is safe from a power cut. */
  sync(): Promise<void>;
  /** Shortens the file to `size` bytes. */
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** How a file is opened. `create` fails if the file exists. */
export type LogOpenMode = "read" | "write" | "create";

/** The file system of a log, as a port: tests use a failing one. Failures are the errors of the system. */
export interface LogDisk {
  open(path: string, mode: LogOpenMode): Promise<LogFile>;
  /** The names in a folder, in any order. */
  list(folder: string): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
  /** Gives a file the name of another, which it replaces, in one step. Without it no segment is compacted. */
  rename?(from: string, to: string): Promise<void>;
  /** Creates a folder that only its owner can enter, if it does not exist. */
  makeFolder(folder: string): Promise<void>;
  /** Makes the names in a folder safe from a power cut, where the platform can. */
  syncFolder(folder: string): Promise<void>;
}
