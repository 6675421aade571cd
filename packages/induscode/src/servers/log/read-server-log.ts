import { endOf, type LinePlace, readLines, readSince } from "../../state/lines/index.ts";
import { parseLogEntry, type ServerLogEntry, serverLogPath, serverLogPaths } from "./log-entry.ts";

export interface ReadServerLogOptions {
  /** Default: all servers. */
  readonly server?: string | undefined;
  /** How many of the last entries to return. Default: all. */
  readonly last?: number | undefined;
}

/** The logs in one folder. */
export interface ServerLogs {
  /** The servers that have a log. */
  servers(): readonly string[];
  read(options?: ReadServerLogOptions): readonly ServerLogEntry[];
  /** Each call of the returned function returns the entries since the last call. */
  follow(server?: string): () => readonly ServerLogEntry[];
}

export function serverLogs(folder: string): ServerLogs {
  return {
    servers: () => [...new Set(readServerLog(folder).map(({ server }) => server))].sort(),
    read: (options) => readServerLog(folder, options),
    follow: (server) => followServerLog(folder, server),
  };
}

/** The entries of a server, or of all in order of time. Damaged lines are skipped. */
function readServerLog(
  folder: string,
  { server, last }: ReadServerLogOptions = {},
): readonly ServerLogEntry[] {
  const paths = server === undefined ? serverLogPaths(folder) : [serverLogPath(folder, server)];
  const entries = paths.flatMap((path) => {
    const found = entriesIn(readLines(path));
    return last === undefined ? found : found.slice(Math.max(0, found.length - last));
  });
  if (paths.length > 1) entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return last === undefined ? entries : entries.slice(Math.max(0, entries.length - last));
}

function followServerLog(folder: string, server?: string): () => readonly ServerLogEntry[] {
  const paths = (): string[] =>
    server === undefined ? serverLogPaths(folder) : [serverLogPath(folder, server)];
  const places = new Map<string, LinePlace>(paths().map((path) => [path, endOf(path)]));
  return () =>
    paths().flatMap((path) => {
      const { text, place } = readSince(path, places.get(path) ?? { inode: 0, offset: 0 });
      places.set(path, place);
      return entriesIn(text);
    });
}

function entriesIn(text: string): ServerLogEntry[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : (parseLogEntry(line) ?? [])));
}
