import { createRequire } from "node:module";
import type * as nodeThreads from "node:worker_threads";
import { TextWorker } from "../../text-worker.ts";
import { convertTidyPage, type TurndownClass } from "./convert-tidy-page.ts";
import { markdownTables } from "./markdown-tables.ts";

/**
 * Converts a tidy page to Markdown. Only for tidy pages: the parser and the converter recurse, and would take very long
 * for a hostile page. Even a tidy page takes tenths of a second, so a worker thread converts it.
 */
export async function tidyToMarkdown(html: string): Promise<string> {
  const library = libraryFile();
  if (library !== undefined) return (await worker.ask({ html, library } satisfies Request)) as string;
  const { default: TurndownService } = await import("turndown");
  return convertTidyPage(html, TurndownService, markdownTables);
}

/** The file that the worker loads. Nothing in a bundle, where the library has no file: then this thread converts. */
function libraryFile(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("turndown");
  } catch {
    return undefined;
  }
}

interface Request {
  readonly html: string;
  readonly library: string;
}

interface WorkerParts {
  readonly convertTidyPage: typeof convertTidyPage;
  readonly markdownTables: typeof markdownTables;
}

/** The worker's whole program. Part of its text: it must not use anything from outside its own braces. */
function work(parts: WorkerParts, load: NodeJS.Require): void {
  const { parentPort } = load("node:worker_threads") as typeof nodeThreads;
  parentPort?.on("message", ({ html, library }: Request) => {
    const turndown = load(library) as TurndownClass;
    parentPort.postMessage(parts.convertTidyPage(html, turndown, parts.markdownTables), []);
  });
}

const worker = new TextWorker(
  `(${String(work)})({ convertTidyPage: ${String(convertTidyPage)}, markdownTables: ${String(markdownTables)} }, require);`,
);
