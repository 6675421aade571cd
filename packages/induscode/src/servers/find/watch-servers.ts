import { lastGoodRows, lastGoodTexts } from "indusagi/config";
import { describeError } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { ServerSources } from "../../launch/internal.ts";
import { type FoundServers, findServers } from "./find-servers.ts";
import { showDiagnostic } from "./show-diagnostic.ts";
import { watchFiles } from "./watch-files.ts";

/** The servers of a run that continues while its configuration changes. */
export interface WatchedServers {
  readonly found: FoundServers;
  /**
   * Calls `onFound` after every change of the files, or of the user's decisions about their rows, until the run ends. Not called
   * while the configuration as a whole cannot be used.
   */
  follow(onFound: (found: FoundServers) => void): void;
}

export interface WatchServersOptions {
  /** The time between two checks of the files. */
  readonly everyMs?: number;
}

const KEPT = "the servers stay as they are until the configuration is corrected";

/** Finds the servers, and finds them again after each change. Undefined if the command must stop. */
export async function watchServers(
  run: Run,
  sources: ServerSources,
  { everyMs }: WatchServersOptions = {},
): Promise<WatchedServers | undefined> {
  const { signal } = run;
  const news = reportOnce(run.report);
  const readPlace = lastGoodTexts({
    onBroken: (diagnostic) => news.report(showDiagnostic(diagnostic, run.attachment?.cwd)),
  });
  const lastGood = lastGoodRows();
  const find = (): Promise<FoundServers | undefined> =>
    findServers(run, sources, { report: news.report, readPlace, lastGood });
  const found = await find();
  if (!found) return undefined;
  let latest = found;
  return {
    found,
    follow: (onFound) => {
      const onChange = async (): Promise<void> => {
        news.next();
        try {
          const next = await find();
          if (!next) return news.report(KEPT);
          latest = next;
          if (!signal.aborted) onFound(next);
        } catch (thrown) {
          news.report(`the configuration cannot be read again: ${describeError(thrown)}`);
        }
      };
      const paths = (): readonly string[] => [...latest.files, ...latest.decisions];
      void watchFiles({ paths, signal, onChange, everyMs });
    },
  };
}

/** Reports only what was not reported in the round before, so a lasting problem is reported once. */
function reportOnce(report: (message: string) => void): {
  readonly report: (message: string) => void;
  next(): void;
} {
  let before: ReadonlySet<string> = new Set();
  let now = new Set<string>();
  return {
    report: (message) => {
      if (!before.has(message) && !now.has(message)) report(message);
      now.add(message);
    },
    next: () => {
      before = now;
      now = new Set();
    },
  };
}
