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
  readonly row?: object | undefined;
  readonly folder?: string | undefined;
  /** Why the gateway should end. */
  readonly why?: string | undefined;
}

const KINDS = ["serve", "instance", "status", "console", "down", "drain"] as const;

/** Only what has the right form. Undefined: nothing that we know is asked. */
export function readAsk(given: unknown): Ask | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const said = given as { readonly [member: string]: unknown };
  const kind = KINDS.find((each) => each === said["kind"]);
  const { words, env, umask, pid, row } = said;
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
      row: isObject(row) ? row : undefined,
      folder: text("folder"),
      why: text("why"),
    }
  );
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
