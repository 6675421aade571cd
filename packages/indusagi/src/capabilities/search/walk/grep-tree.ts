import type { linearMatchers } from "../pattern/linear-matcher.ts";
import type { ByteText, GrepAnswer, GrepHit, GrepJob } from "../search-job.ts";
import type { gitignoreRules } from "./gitignore-rules.ts";
import type { lineMatcher, MatcherParts } from "./match-lines.ts";
import type { TreePort, walkTree } from "./walk-tree.ts";

/** The functions that a search in the worker uses. */
export interface SearchParts extends MatcherParts {
  readonly gitignoreRules: typeof gitignoreRules;
  readonly linearMatchers: typeof linearMatchers;
  readonly walkTree: typeof walkTree;
  readonly isBinary: typeof isBinary;
  readonly lineMatcher: typeof lineMatcher;
}

/**
 * Finds the matching lines in a tree or in one file.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function grepTree(job: GrepJob, port: TreePort, parts: SearchParts): GrepAnswer {
  const { root, cap, limits } = job;
  const matcher = parts.lineMatcher(job.expression, limits.lineBytes, parts);
  const hits: GrepHit[] = [];
  let total = 0;
  let isComplete = true;
  let tooLarge = 0;
  let unreadable = 0;

  function searchFile(place: ByteText, path: ByteText): boolean {
    const bytes = port.read(place, "refuse");
    if (bytes === "too_large") tooLarge++;
    else if (bytes === undefined) unreadable++;
    else if (!parts.isBinary(bytes, limits.sampleBytes)) {
      matcher(bytes, (line, text) => {
        if (total === limits.hits) isComplete = false;
        else if (++total <= cap) hits.push({ path, line, text });
        return isComplete;
      });
    }
    return isComplete;
  }

  if (root.isFile) searchFile(root.path, "");
  else {
    const walk = parts.walkTree(port, parts.gitignoreRules(parts.linearMatchers()), root, (found) =>
      found.kind === "file" ? searchFile(found.place, found.path) : true,
    );
    unreadable += walk.unreadable;
  }
  // If the walk stopped early, these counts are not known.
  return isComplete
    ? { hits, total, isComplete, tooLarge, unreadable }
    : { hits, total, isComplete, tooLarge: 0, unreadable: 0 };
}

/**
 * Whether a file is not searched: its first bytes contain a zero byte or are a UTF-16 byte order mark.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function isBinary(bytes: Uint8Array, sampleBytes: number): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 || bytes.subarray(0, sampleBytes).includes(0);
}
