/** A call to a disk, or to a file that the disk opened. */
export interface DiskCall {
  /** The name in the port, such as `rename`; for an open file such as `file.sync`. */
  readonly operation: string;
  /** The first path that is named; for an open file the path that it was opened with. */
  readonly path: string;
  /** The open file. */
  readonly file?: object;
  readonly args: readonly unknown[];
  /** Makes the call, with its arguments or with others. */
  readonly run: (...others: readonly unknown[]) => unknown;
}

/** What happens instead of a call: the caller gets what this returns or throws. */
export type AroundCall = (call: DiskCall) => unknown;

/**
 * A disk of any port, such as `Disk`, `FileDisk`, `LogDisk` or `CheckpointDisk`, whose calls go through `around`, as do those of
 * the files that it opens. Disks that fail, count or record are made of it.
 */
export function wrapDisk<Port extends object>(disk: Port, around: AroundCall): Port {
  const members = Object.entries(disk).map(([operation, member]: [string, unknown]) => {
    // Not a call to the disk.
    if (!isFunction(member) || operation === "fdPath") return [operation, member];
    const wrapped = (...args: readonly unknown[]): unknown => {
      const path = String(args[0]);
      const result = around({ operation, path, args, run: runOf(member, args) });
      if (operation !== "open" && operation !== "create") return result;
      const wrap = (opened: unknown): unknown => wrapFile(opened, path, around);
      return result instanceof Promise ? result.then(wrap) : wrap(result);
    };
    return [operation, wrapped];
  });
  return Object.fromEntries(members) as Port;
}

/** The disk without flushes: they take most of the time, and a test that cuts no power cannot see them. */
export function unflushedDisk<Port extends object>(disk: Port): Port {
  return wrapDisk(disk, ({ operation, run }) =>
    operation === "file.sync" || operation === "syncFolder" ? Promise.resolve() : run(),
  );
}

function wrapFile(file: unknown, path: string, around: AroundCall): unknown {
  if (typeof file !== "object" || file === null) return file;
  return new Proxy(file, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (!isFunction(member) || typeof name === "symbol") return member;
      return (...args: readonly unknown[]) =>
        around({ operation: `file.${name}`, path, file, args, run: runOf(member.bind(target), args) });
    },
  });
}

type Call = (...args: readonly unknown[]) => unknown;

function isFunction(member: unknown): member is Call {
  return typeof member === "function";
}

function runOf(member: Call, args: readonly unknown[]): Call {
  return (...others) => member(...(others.length > 0 ? others : args));
}
