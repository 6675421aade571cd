import type { ByteText, FindAnswer, FindJob, FoundName } from "../search-job.ts";
import type { SearchParts } from "./grep-tree.ts";
import type { TreePort } from "./walk-tree.ts";

/**
 * Finds the names of a tree that match a query.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function findNames(job: FindJob, port: TreePort, parts: SearchParts): FindAnswer {
  const { query, only, cap } = job;
  const names: FoundName[] = [];
  let total = 0;

  function decoded(bytes: ByteText): string {
    return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, "latin1").toString() : bytes;
  }

  function nameTest(): (name: ByteText, path: ByteText) => boolean {
    if (query.kind === "substring") return (name) => decoded(name).toLowerCase().includes(query.lowerCase);
    const glob = new RegExp(query.source, query.flags);
    const isLinearMatch = query.linear && parts.linearTest(parts.load, query.linear);
    return (name, path) => {
      const text = query.wholePath ? path : name;
      if (isLinearMatch && /^[ -~]*$/.test(text)) return isLinearMatch(text);
      parts.marks.begin();
      const isMatch = glob.test(decoded(text));
      parts.marks.end(text.length);
      return isMatch;
    };
  }

  const isWanted = nameTest();
  const walk = parts.walkTree(
    port,
    parts.gitignoreRules(parts.linearMatchers()),
    job.root,
    ({ name, path, kind }) => {
      if ((only === undefined || only === kind) && isWanted(name, path) && ++total <= cap)
        names.push({ path, kind });
      return true;
    },
  );
  return { names, total, unreadable: walk.unreadable };
}
