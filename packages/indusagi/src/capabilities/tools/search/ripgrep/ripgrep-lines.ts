import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ByteText, GrepAnswer, GrepHit, SearchLimits, SearchRoot } from "../search-job.ts";
import { isBinary } from "../walk/is-binary.ts";
import { hasRulesBetween, pathArgument, type RipgrepOrder, ripgrepArgs } from "./ripgrep-args.ts";
import { createRemarkCounter, createRipgrepReader, type RipgrepRemarks } from "./ripgrep-output.ts";
import { runRipgrep } from "./run-ripgrep.ts";

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
  if (!all) return undefined;
  if (all.hits.length <= limits.hits) {
    return {
      hits: inOrder(all.hits).slice(0, cap),
      total: all.hits.length,
      isComplete: true,
      ...all.remarks,
    };
  }
  // Its threads answer in any order, so the first of very many hits are not known yet. In order it is slower,
  // but with so many hits it will soon have enough.
  const first = await collect(search, { sorted: true, limit: cap });
  return first && { hits: first.hits, total: limits.hits, isComplete: false, tooLarge: 0, unreadable: 0 };
}

interface Collected {
  readonly hits: readonly GrepHit[];
  readonly remarks: RipgrepRemarks;
}

async function collect(
  search: RipgrepSearch,
  { sorted, limit }: { readonly sorted: boolean; readonly limit: number },
): Promise<Collected | undefined> {
  const { root, limits, program, signal } = search;
  const hits: GrepHit[] = [];
  const fileOf = hitFiles(root, limits);
  const onOutput = createRipgrepReader(limits.lineBytes, (found) => {
    const { path, isText } = fileOf(found.path);
    if (isText) hits.push({ path, line: found.line, text: found.text });
    return hits.length < limit;
  });
  const remarks = createRemarkCounter();
  const args = [...(sorted ? ["--sort=path"] : []), ...ripgrepArgs(search)];
  try {
    const exit = await runRipgrep({
      program,
      args,
      cwd: root.rulesFrom,
      signal,
      onOutput,
      onRemarks: (text) => remarks.push(text),
    });
    const counts = remarks.end();
    // 0 and 1 are "found" and "not found", 2 is an error: a folder it cannot read, else a pattern or argument.
    // Killed by somebody else, it has none and did not find all.
    const isRefused = !exit.stopped && (exit.code === null || (exit.code > 1 && counts.unreadable === 0));
    return isRefused ? undefined : { hits, remarks: counts };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    // It could not be started, or took too much memory.
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

interface HitFile {
  /** Relative to the root. */
  readonly path: ByteText;
  readonly isText: boolean;
}

/** What a path ripgrep tells stands for. It tells a file's hits one after another, so one answer is kept. */
function hitFiles(root: SearchRoot, limits: SearchLimits): (told: ByteText) => HitFile {
  const start = Buffer.from(pathArgument(root)).length;
  const sample = Buffer.alloc(limits.sampleBytes);
  let last: { readonly told: ByteText; readonly file: HitFile } | undefined;
  return (told) => {
    if (last?.told !== told) {
      const path = told.slice(start).replace(/^\//, "");
      last = { told, file: { path, isText: !isBinary(readHead(root, path, sample), limits.sampleBytes) } };
    }
    return last.file;
  };
}

/** The first bytes of a file; none if it has gone, which ripgrep could read a moment ago. */
function readHead(root: SearchRoot, path: ByteText, sample: Buffer): Buffer {
  const place = Buffer.concat([Buffer.from(root.path), Buffer.from(path === "" ? "" : `/${path}`, "latin1")]);
  try {
    // Not waiting: the name may have become a pipe since.
    const file = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return sample.subarray(0, readSync(file, sample, 0, sample.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return sample.subarray(0, 0);
  }
}
