/** One open file of a log. */
export interface LogFile {
  /** Bytes in the file. */
  size(): Promise<number>;
  /** Up to `length` bytes from `position`: fewer are no sign of the end, none are. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** Writes at `position` and says how many bytes it took: perhaps not all. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Returns once everything written is safe from a power cut. */
  sync(): Promise<void>;
  /** Cuts the file off after `size` bytes. */
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** How a file is opened. `create` refuses a name that is taken. */
export type LogOpenMode = "read" | "write" | "create";

/** The files a log is kept in, as a port: tests put a failing disk here. Failures are the system's own errors. */
export interface LogDisk {
  open(path: string, mode: LogOpenMode): Promise<LogFile>;
  /** The names in a folder, in any order. */
  list(folder: string): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
  /** Makes a folder that only its owner may enter, unless it is there. */
  makeFolder(folder: string): Promise<void>;
  /** Makes the names in a folder safe from a power cut, where the platform can. */
  syncFolder(folder: string): Promise<void>;
}
