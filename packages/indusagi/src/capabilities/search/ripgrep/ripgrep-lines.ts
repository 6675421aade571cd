import { closeSync, constants, existsSync, openSync, readSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { LinePattern } from "../pattern/line-pattern.ts";
import type { ByteText, GrepAnswer, GrepHit, SearchLimits, SearchRoot } from "../search-job.ts";
import { isBinary } from "../walk/grep-tree.ts";
import { createRemarkCounter, createRipgrepReader, type RipgrepCounts } from "./ripgrep-output.ts";
import { runRipgrep } from "./run-ripgrep.ts";

export interface RipgrepSearch {
  readonly pattern: LinePattern;
  readonly root: SearchRoot;
  readonly limits: SearchLimits;
  readonly program: string;
  readonly cap: number;
  readonly signal: AbortSignal;
}

/** Finds matching lines with ripgrep. Returns undefined if ripgrep cannot do this search. */
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
  // Its threads report in any order, so the first hits are not known yet. Sorted output is slower, but with this many
  // hits it ends early.
  const first = await collect(search, { sorted: true, limit: cap });
  return first && { hits: first.hits, total: limits.hits, isComplete: false, tooLarge: 0, unreadable: 0 };
}

interface Collected {
  readonly hits: readonly GrepHit[];
  readonly remarks: RipgrepCounts;
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
    // 0 means found, 1 not found, 2 an error: an unreadable folder, or a pattern or argument it does not accept.
    // No code means that it was killed and its output is not complete.
    const isRefused = !exit.stopped && (exit.code === null || (exit.code > 1 && counts.unreadable === 0));
    return isRefused ? undefined : { hits, remarks: counts };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    // It could not be started, or took too much memory.
    return undefined;
  }
}

/** Sorts by path, folder by folder. The lines of one file are already in order. */
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

/** Returns a function that looks up a path of ripgrep's output. A file's hits come together, so one result is kept. */
function hitFiles(root: SearchRoot, limits: SearchLimits): (reported: ByteText) => HitFile {
  const start = Buffer.from(pathArgument(root)).length;
  const sample = Buffer.alloc(limits.sampleBytes);
  let last: { readonly reported: ByteText; readonly file: HitFile } | undefined;
  return (reported) => {
    if (last?.reported !== reported) {
      const path = reported.slice(start).replace(/^\//, "");
      last = {
        reported,
        file: { path, isText: !isBinary(readHead(root, path, sample), limits.sampleBytes) },
      };
    }
    return last.file;
  };
}

/** The first bytes of a file; empty if it was removed after ripgrep read it. */
function readHead(root: SearchRoot, path: ByteText, sample: Buffer): Buffer {
  const place = Buffer.concat([Buffer.from(root.path), Buffer.from(path === "" ? "" : `/${path}`, "latin1")]);
  try {
    // Do not block: the name may have become a pipe.
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

const OUTPUT_ARGS = [
  "--color=never",
  "--no-heading",
  "--with-filename",
  "--line-number",
  "--null",
  "--path-separator=/",
];

/** Include hidden files; use `.gitignore` files and no other rules; ignore the user's settings. */
const SCOPE_ARGS = [
  "--no-config",
  "--hidden",
  "--no-require-git",
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  "--no-ignore-parent",
  "--no-ignore-messages",
  "--glob=!.git",
  "--glob=!node_modules",
];

/** `--text`, because our own rule decides which files are binary. */
const READING_ARGS = ["--text", "--crlf", "--no-mmap"];

/** The arguments that make ripgrep, started in `root.rulesFrom`, search what our own engine searches. */
function ripgrepArgs({ pattern, root, limits }: RipgrepSearch): string[] {
  return [
    ...OUTPUT_ARGS,
    ...SCOPE_ARGS,
    ...READING_ARGS,
    // Only the debug output names the files that are too large.
    "--debug",
    `--max-filesize=${limits.fileBytes}`,
    `--max-columns=${limits.lineBytes}`,
    "--max-columns-preview",
    ...rulesAbove(root),
    ...(pattern.isLiteral ? ["--fixed-strings"] : []),
    pattern.ignoresCase ? "--ignore-case" : "--case-sensitive",
    ...(pattern.wholeWords ? ["--word-regexp"] : []),
    `--regexp=${pattern.text}`,
    "--",
    pathArgument(root),
  ];
}

/** The root as an argument of ripgrep, and as the start of every path in its output. */
function pathArgument(root: SearchRoot): string {
  return `./${relative(root.rulesFrom, root.path).replaceAll(sep, "/")}`;
}

/**
 * Whether a folder between `rulesFrom` and the root has rules. Ripgrep can use those of `rulesFrom`, where it is
 * started, but of no other folder above the root.
 */
function hasRulesBetween(root: SearchRoot): boolean {
  if (root.isFile || root.path === root.rulesFrom) return false;
  for (let folder = dirname(root.path); folder !== root.rulesFrom; folder = dirname(folder)) {
    if (existsSync(join(folder, ".gitignore"))) return true;
  }
  return false;
}

function rulesAbove(root: SearchRoot): string[] {
  const rules = join(root.rulesFrom, ".gitignore");
  const apply = !root.isFile && root.path !== root.rulesFrom && existsSync(rules);
  return apply ? [`--ignore-file=${rules}`] : [];
}
