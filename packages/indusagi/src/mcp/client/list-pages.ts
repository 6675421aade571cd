import { ProtocolFault } from "../../interop/index.ts";

const MAX_PAGES = 1000;
const MAX_ITEMS = 20_000;

/** Asks for one page; `cursor` is absent for the first. */
export type AskPage = (params: { readonly cursor?: string }, leftMs: number) => Promise<unknown>;

export interface ListPagesOptions {
  readonly serverName: string;
  /** The member of a page that holds the list, e.g. `resources`. */
  readonly member: string;
  /** For all pages together. */
  readonly timeoutMs: number;
}

/** All pages of a listing as one list. What is no object is left out; a cursor that comes again ends it. */
export async function listPages<Item extends object>(
  ask: AskPage,
  { serverName, member, timeoutMs }: ListPagesOptions,
): Promise<Item[]> {
  const endsAtMs = performance.now() + timeoutMs;
  const items: Item[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && items.length < MAX_ITEMS; page++) {
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0) throw fault("timeout", serverName, `did not list all its ${member} in time`);
    const answer = (await ask(cursor === undefined ? {} : { cursor }, leftMs)) as {
      readonly [name: string]: unknown;
    };
    const list = answer[member];
    if (!Array.isArray(list)) throw fault("protocol", serverName, `answered without a list of ${member}`);
    items.push(...((list as unknown[]).filter(isObject).slice(0, MAX_ITEMS - items.length) as Item[]));
    const next = answer["nextCursor"];
    if (typeof next !== "string" || next === "" || seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return items;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function fault(kind: "timeout" | "protocol", server: string, message: string): ProtocolFault {
  return new ProtocolFault(kind, `server "${server}" ${message}`, { server });
}
