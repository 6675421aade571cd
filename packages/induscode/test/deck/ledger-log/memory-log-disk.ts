import { unflushedDisk } from "@indus/testkit";
import { type LogDisk, localLogDisk } from "induscode/deck";

/** A disk on which every file has these bytes, for reading many variants of one log. */
export function memoryLogDisk(bytes: Uint8Array): LogDisk {
  const refuse = async (): Promise<never> => {
    throw new Error("this disk is for reading only");
  };
  return {
    ...localLogDisk,
    open: async () => ({
      size: async () => bytes.length,
      read: async (position, length) => bytes.subarray(position, position + length),
      close: async () => {},
      write: refuse,
      sync: refuse,
      truncate: refuse,
    }),
  };
}

/** The real disk without flushing, for the many cases that only look at the content of a file. */
export const unflushedLogDisk: LogDisk = unflushedDisk(localLogDisk);
