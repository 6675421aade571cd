import { type LogDisk, localLogDisk } from "induscode/deck";

/** A disk on which every file holds these bytes: for reading the same log changed in a thousand ways. */
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

/** The real disk, but nothing is flushed: for cases about what is in a file, of which there are many. */
export const unflushedLogDisk: LogDisk = {
  ...localLogDisk,
  open: async (path, mode) => ({ ...(await localLogDisk.open(path, mode)), sync: async () => {} }),
  syncFolder: async () => {},
};
