import type { NameQuery } from "./search-job.ts";

/**
 * What a query means: with `*` or `?` a glob that must match the whole name, or the whole path if it has a slash;
 * else a part of the name. Case never matters.
 */
export async function parseNameQuery(query: string): Promise<NameQuery> {
  if (!/[*?]/.test(query)) return { kind: "substring", lowerCase: query.toLowerCase() };
  const { default: picomatch } = await import("picomatch");
  const glob = query.replace(/^\.?\/+/, "");
  const { source, flags } = picomatch.makeRe(glob, {
    dot: true,
    nocase: true,
    nonegate: true,
    noextglob: true,
  });
  return { kind: "glob", source, flags, wholePath: glob.includes("/") };
}
