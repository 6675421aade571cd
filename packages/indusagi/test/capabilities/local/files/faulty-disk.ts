import { wrapDisk } from "@indus/testkit";
import type { Disk } from "indusagi/capabilities";
import { nodeDisk } from "../../../../src/capabilities/local/files/node-disk.ts";

/** Which disk call fails, and how. */
export interface Fault {
  /** Counted from 1, over all calls. */
  readonly call: number;
  readonly code: string;
  /** `refused`: nothing is done. `done`: the call is done, but reported as failed. `short`: half of a write is done. */
  readonly how: "refused" | "done" | "short";
}

export interface FaultyDisk {
  readonly disk: Disk;
  /** The calls made so far, by name. */
  readonly calls: string[];
  /** Files opened and not closed. */
  readonly open: ReadonlySet<unknown>;
}

/** The real disk with one failing call. */
export function faultyDisk(fault?: Fault): FaultyDisk {
  const calls: string[] = [];
  const open = new Set<unknown>();
  const disk = wrapDisk(nodeDisk, async ({ operation, file, args, run }) => {
    calls.push(operation);
    if (operation === "file.close") open.delete(file);
    if (calls.length !== fault?.call) {
      const result = await run();
      if (operation === "open") open.add(result);
      return result;
    }
    if (fault.how === "short" && operation === "file.writeFile") {
      const content = args[0] as Uint8Array;
      await run(content.subarray(0, Math.floor(content.length / 2)));
    }
    // Closed here, because the caller does not get the file.
    if (fault.how === "done" || operation === "file.close") await closeIfFile(await run());
    throw Object.assign(new Error(`${fault.code}: injected into ${operation}, '/internal/path'`), {
      code: fault.code,
    });
  });
  return { disk, calls, open };
}

async function closeIfFile(value: unknown): Promise<void> {
  if (typeof value === "object" && value !== null && "close" in value)
    await (value as { close(): Promise<void> }).close();
}
