import type { ServerConfig } from "indusagi/interop";

/** What a connection to the gateway is for, and what the client says about itself. */
export interface Ask {
  readonly kind: (typeof KINDS)[number];
  /** The command line of a client. */
  readonly words?: readonly string[] | undefined;
  /** Where the client is, and what its servers inherit. */
  readonly cwd?: string | undefined;
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
  readonly umask?: number | undefined;
  readonly container?: string | undefined;
  readonly pid?: number | undefined;
  /** The row of a server that is looked for, and the workspace of the command that looks for it. */
  readonly row?: ServerConfig | undefined;
  readonly folder?: string | undefined;
  /** What the output and the messages of a command are shown on. Absent: a file or a pipe. */
  readonly screens?: { readonly out?: Screen | undefined; readonly err?: Screen | undefined } | undefined;
  /** Why the gateway should end. */
  readonly why?: string | undefined;
}

/** The size of a terminal. */
export interface Screen {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** `serve` and `call` are command lines of clients; `instance` is a connection to one server. */
const KINDS = ["serve", "call", "instance", "status", "console", "down", "drain"] as const;

/** Only what has the right form. Undefined: nothing that we know is asked. */
export function readAsk(given: unknown): Ask | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const said = given as { readonly [member: string]: unknown };
  const kind = KINDS.find((each) => each === said["kind"]);
  const { words, env, umask, pid, row, screens } = said;
  const text = (name: string): string | undefined => {
    const value = said[name];
    return typeof value === "string" ? value : undefined;
  };
  return (
    kind && {
      kind,
      words: Array.isArray(words) && words.every(isText) ? words : undefined,
      cwd: text("cwd"),
      env: isObject(env) ? Object.fromEntries(Object.entries(env).filter(isTextEntry)) : undefined,
      umask: typeof umask === "number" ? umask : undefined,
      container: text("container"),
      pid: typeof pid === "number" ? pid : undefined,
      row: isRow(row) ? row : undefined,
      folder: text("folder"),
      screens: isObject(screens) ? readScreens(screens) : undefined,
      why: text("why"),
    }
  );
}

/** Another process of the same build has read it, and the same user wrote it. */
function isRow(value: unknown): value is ServerConfig {
  if (!isObject(value)) return false;
  const { id, kind } = value as { readonly id?: unknown; readonly kind?: unknown };
  return isText(id) && isText(kind);
}

function readScreens(given: { readonly out?: unknown; readonly err?: unknown }): Ask["screens"] {
  const size = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
  const screen = (value: unknown): Screen | undefined => {
    if (!isObject(value)) return undefined;
    const { columns, rows } = value as { readonly columns?: unknown; readonly rows?: unknown };
    return { columns: size(columns), rows: size(rows) };
  };
  return { out: screen(given.out), err: screen(given.err) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextEntry(entry: [string, unknown]): entry is [string, string] {
  return isText(entry[1]);
}
