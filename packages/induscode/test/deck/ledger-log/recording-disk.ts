import { basename } from "node:path";
import type { LogDisk, LogFile } from "induscode/deck";

/** One step that changed the disk, or made changes safe. */
export type DiskStep =
  | { readonly do: "create" | "remove" | "sync"; readonly path: string }
  | { readonly do: "write"; readonly path: string; readonly bytes: Uint8Array; readonly position: number }
  | { readonly do: "truncate"; readonly path: string; readonly size: number }
  | { readonly do: "syncFolder" };

/** What happened to writes that were not flushed before the power cut. */
export type UnflushedRest = "lost" | "half" | "written" | "zeros";

/** A disk in memory that records each step. */
export function recordingDisk(): { readonly disk: LogDisk; readonly steps: DiskStep[] } {
  const files = new Map<string, Buffer>();
  const steps: DiskStep[] = [];
  const take = (step: DiskStep): void => {
    steps.push(step);
    applyStep(files, step);
  };
  return { disk: diskOf(files, take), steps };
}

/** The disk that a power cut after these steps leaves. Names are safe at once, as on a journalled file system. */
export function diskAfter(steps: readonly DiskStep[], rest: UnflushedRest): LogDisk {
  const files = new Map<string, Buffer>();
  for (const [index, step] of steps.entries()) {
    const isFlushed =
      step.do !== "write" ||
      steps.slice(index).some((later) => later.do === "sync" && later.path === step.path);
    if (isFlushed || rest === "written") applyStep(files, step);
    else if (step.do === "write" && rest === "half")
      applyStep(files, { ...step, bytes: step.bytes.subarray(0, step.bytes.length >> 1) });
    else if (step.do === "write" && rest === "zeros")
      applyStep(files, { ...step, bytes: new Uint8Array(step.bytes.length) });
  }
  return diskOf(files, (step) => applyStep(files, step));
}

function applyStep(files: Map<string, Buffer>, step: DiskStep): void {
  if (step.do === "create") files.set(step.path, Buffer.alloc(0));
  else if (step.do === "remove") files.delete(step.path);
  else if (step.do === "truncate")
    files.set(step.path, Buffer.from((files.get(step.path) ?? Buffer.alloc(0)).subarray(0, step.size)));
  else if (step.do === "write") {
    const before = files.get(step.path) ?? Buffer.alloc(0);
    const after = Buffer.alloc(Math.max(before.length, step.position + step.bytes.length));
    before.copy(after);
    after.set(step.bytes, step.position);
    files.set(step.path, after);
  }
}

function diskOf(files: Map<string, Buffer>, take: (step: DiskStep) => void): LogDisk {
  return {
    open: async (path, mode) => {
      if (mode === "create" && files.has(path)) throw systemError("EEXIST", path);
      if (mode === "create") take({ do: "create", path });
      if (!files.has(path)) throw systemError("ENOENT", path);
      return fileOf(files, path, take);
    },
    list: async () => [...files.keys()].map((path) => basename(path)),
    remove: async (path) => {
      if (!files.has(path)) throw systemError("ENOENT", path);
      take({ do: "remove", path });
    },
    makeFolder: async () => {},
    syncFolder: async () => take({ do: "syncFolder" }),
  };
}

function fileOf(files: Map<string, Buffer>, path: string, take: (step: DiskStep) => void): LogFile {
  const content = (): Buffer => files.get(path) ?? Buffer.alloc(0);
  return {
    size: async () => content().length,
    read: async (position, length) => Uint8Array.from(content().subarray(position, position + length)),
    write: async (bytes, position) => {
      take({ do: "write", path, bytes: Uint8Array.from(bytes), position });
      return bytes.length;
    },
    sync: async () => take({ do: "sync", path }),
    truncate: async (size) => take({ do: "truncate", path, size }),
    close: async () => {},
  };
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
