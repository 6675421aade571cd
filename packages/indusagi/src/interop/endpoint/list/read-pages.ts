import { joinHints, NOT_CACHED, statedHint } from "../../content/index.ts";
import { type CacheHint, ProtocolFault, type RawResult } from "../../contract/index.ts";

const MAX_PAGES = 1000;
/** Cursors are kept and sent back, so their length is limited. */
const MAX_CURSOR_CHARS = 16_384;

/** Requests one page; `cursor` is absent for the first. The request should end within `remainingMs`. */
export type RequestPage = (params: { readonly cursor?: string }, remainingMs: number) => Promise<unknown>;

export interface ReadPagesOptions {
  readonly server: string;
  readonly method: string;
  /** The member of a page that holds the list, e.g. `resources`. */
  readonly member: string;
  /** For all pages together. */
  readonly timeoutMs: number;
  readonly maxPages?: number | undefined;
  /** Called with the items of each page. Returns false to end the listing. */
  readonly onPage: (items: readonly unknown[]) => boolean;
}

/** How a listing ended. */
export interface PagesRead {
  /** True if the last page was read. */
  readonly isComplete: boolean;
  /** What is wrong with the cursor at which the listing ended. */
  readonly flaw?: string;
  /** What all pages together state about their use later. Only for a complete listing. */
  readonly hint?: CacheHint | undefined;
}

/** Reads the pages of a listing one by one. A repeated or overlong cursor ends it. */
export async function readPages(request: RequestPage, options: ReadPagesOptions): Promise<PagesRead> {
  const { timeoutMs, maxPages = MAX_PAGES, onPage } = options;
  const deadlineMs = performance.now() + timeoutMs;
  const cursors = new Set<string>();
  const hints: (CacheHint | undefined)[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page++) {
    const { items, nextCursor, hint } = await readPage(request, cursor, {
      ...options,
      timeoutMs: deadlineMs - performance.now(),
    });
    if (!onPage(items)) return { isComplete: false };
    hints.push(hint);
    if (nextCursor === undefined) return { isComplete: true, hint: hintOfPages(hints) };
    const flaw = cursorFlaw(nextCursor, cursors);
    if (flaw !== undefined)
      return { isComplete: false, flaw: `page ${page} ${flaw}; the listing ends there` };
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return { isComplete: false };
}

/** A page without a hint, among others that have one, is the weakest part. */
function hintOfPages(hints: readonly (CacheHint | undefined)[]): CacheHint | undefined {
  return hints.some(Boolean) ? joinHints(hints.map((hint) => hint ?? NOT_CACHED)) : undefined;
}

function cursorFlaw(cursor: string, earlier: ReadonlySet<string>): string | undefined {
  if (cursor.length > MAX_CURSOR_CHARS) return `has a cursor of ${cursor.length} characters`;
  return earlier.has(cursor) ? "leads back to an earlier page" : undefined;
}

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor: string | undefined;
  readonly hint: CacheHint | undefined;
}

async function readPage(
  request: RequestPage,
  cursor: string | undefined,
  { server, method, member, timeoutMs }: ReadPagesOptions,
): Promise<Page> {
  if (timeoutMs <= 0)
    throw new ProtocolFault("timeout", `server "${server}" did not list all its ${member} in time`, {
      server,
    });
  const page = (await request(cursor === undefined ? {} : { cursor }, timeoutMs)) as RawResult;
  const items = page[member];
  const nextCursor = page["nextCursor"];
  if (!Array.isArray(items)) {
    const message = `server "${server}" answered ${method} without a list of ${member}`;
    throw new ProtocolFault("protocol", message, { server });
  }
  return {
    items,
    // An empty cursor means that there are no more pages.
    nextCursor: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined,
    hint: statedHint(page),
  };
}
