import { closeSync, openSync, readSync } from "node:fs";
import { isBinary } from "./is-binary.ts";
import { hasRulesBetween, pathArgument, type RipgrepOrder, ripgrepArgs } from "./ripgrep-args.ts";
import { createRipgrepReader, type RipgrepRemarks, readRemarks } from "./ripgrep-output.ts";
import { runRipgrep } from "./run-ripgrep.ts";
import type { ByteText, GrepAnswer, GrepHit, SearchLimits, SearchRoot } from "./search-job.ts";

export interface RipgrepSearch extends RipgrepOrder {
  readonly program: string;
  readonly cap: number;
  readonly signal: AbortSignal;
}

/** Lets ripgrep find the matching lines. Nothing when it cannot do this search: the other engine then must. */
export async function ripgrepLines(search: RipgrepSearch): Promise<GrepAnswer | undefined> {
  if (hasRulesBetween(search.root)) return undefined;
  const { cap, limits } = search;
  const all = await collect(search, { sorted: false, limit: limits.hits + 1 });
  if (!all || all.remarks?.refused) return undefined;
  if (all.hits.length <= limits.hits) {
    const { tooLarge = 0, unreadable = 0 } = all.remarks ?? {};
    return { hits: inOrder(all.hits).slice(0, cap), total: all.hits.length, isComplete: true, tooLarge, unreadable };
  }
  // Its threads answer in any order, so the first of very many hits are not known yet. In order it is slower,
  // but with so many hits it will soon have enough.
  const first = await collect(search, { sorted: true, limit: cap });
  return first && { hits: first.hits, total: limits.hits, isComplete: false, tooLarge: 0, unreadable: 0 };
}

interface Collected {
  readonly hits: readonly GrepHit[];
  /** Absent when the run was ended early. */
  readonly remarks?: RipgrepRemarks;
}

async function collect(
  search: RipgrepSearch,
  { sorted, limit }: { readonly sorted: boolean; readonly limit: number },
): Promise<Collected | undefined> {
  const { root, limits, program, signal } = search;
  const hits: GrepHit[] = [];
  const shorten = pathShortener(root);
  const isText = textFiles(root, limits);
  const read = createRipgrepReader(limits.lineBytes, (found) => {
    const path = shorten(found.path);
    if (isText(path)) hits.push({ path, line: found.line, text: found.text });
    return hits.length < limit;
  });
  const args = [...(sorted ? ["--sort=path"] : []), ...ripgrepArgs(search)];
  try {
    const exit = await runRipgrep({ program, args, cwd: root.rulesFrom, signal, onOutput: read });
    return exit.stopped ? { hits } : { hits, remarks: readRemarks(exit.stderr, exit.code) };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    // It could not be started.
    return undefined;
  }
}

/** By path, folder by folder; lines of one file are in order already. */
function inOrder(hits: readonly GrepHit[]): GrepHit[] {
  const byFile = new Map<ByteText, GrepHit[]>();
  for (const hit of hits) {
    const key = hit.path.replaceAll("/", "\0");
    const file = byFile.get(key);
    if (file) file.push(hit);
    else byFile.set(key, [hit]);
  }
  return [...byFile.keys()].sort().flatMap((key) => byFile.get(key) ?? []);
}

/** From ripgrep's path to one relative to the root. */
function pathShortener(root: SearchRoot): (path: ByteText) => ByteText {
  const start = Buffer.from(pathArgument(root)).length;
  return (path) => path.slice(start).replace(/^\//, "");
}

/** Whether a file with hits counts as text. Ripgrep tells a file's hits one after another, so one answer is kept. */
function textFiles(root: SearchRoot, limits: SearchLimits): (path: ByteText) => boolean {
  const sample = Buffer.alloc(limits.sampleBytes);
  let last: { readonly path: ByteText; readonly isText: boolean } | undefined;
  const look = (path: ByteText): boolean => {
    const place = Buffer.concat([Buffer.from(root.path), Buffer.from(path === "" ? "" : `/${path}`, "latin1")]);
    try {
      const file = openSync(place, "r");
      try {
        return !isBinary(sample.subarray(0, readSync(file, sample, 0, sample.length, 0)), limits.sampleBytes);
      } finally {
        closeSync(file);
      }
    } catch {
      // It was there a moment ago, and ripgrep could read it.
      return true;
    }
  };
  return (path) => {
    if (last?.path !== path) last = { path, isText: look(path) };
    return last.isText;
  };
}
