import { posix } from "node:path";
import type { LocatedPath } from "../paths/locate.ts";
import { type Glob, literalGlob, matchesGlob, parseGlob } from "./glob.ts";

/** The folders that a path pattern may be relative to. */
export interface PatternBase {
  /** The folder of the session, as given and with links followed. */
  readonly cwd: string;
  readonly realCwd: string;
  readonly home?: string | undefined;
  /** The file system ignores case, so refusals do too. */
  readonly ignoresCase?: boolean;
}

/** A pattern for paths. */
export interface PathPattern {
  readonly written: Glob;
  readonly real: Glob;
  /** Both in lower case, where the file system ignores case. */
  readonly folded?: readonly Glob[] | undefined;
}

/** Relative patterns start in the session's folder, `~/` in the home folder. A trailing slash means everything below. */
export function parsePathPattern(pattern: string, base: PatternBase): PathPattern {
  const whole = pattern.endsWith("/") ? `${pattern}**` : pattern;
  const [written, real] = [base.cwd, base.realCwd].map((cwd) => absolute(whole, cwd, base.home)) as [
    string,
    string,
  ];
  const glob = (text: string): Glob => parseGlob(text, { segments: true });
  return {
    written: glob(written),
    real: glob(real),
    folded: base.ignoresCase ? [glob(written.toLowerCase()), glob(real.toLowerCase())] : undefined,
  };
}

function absolute(pattern: string, cwd: string, home: string | undefined): string {
  if (home !== undefined && pattern.startsWith("~/")) return posix.join(literal(home), pattern.slice(1));
  return /^(?:\/|[A-Za-z]:\/)/.test(pattern) ? posix.normalize(pattern) : posix.join(literal(cwd), pattern);
}

/** A folder as a pattern that matches only it. */
function literal(folder: string): string {
  return literalGlob(slashes(folder));
}

const slashes = (path: string): string => (process.platform === "win32" ? path.replaceAll("\\", "/") : path);

/** For a refusal or question: matches the path as written or the real path. */
export function findsPath({ written, real }: LocatedPath, pattern: PathPattern): boolean {
  const [shown, actual] = [slashes(written), slashes(real)];
  if (
    matchesGlob(shown, pattern.written) ||
    matchesGlob(actual, pattern.real) ||
    matchesGlob(actual, pattern.written)
  )
    return true;
  return (pattern.folded ?? []).some((glob) =>
    [shown, actual].some((path) => matchesGlob(path.toLowerCase(), glob)),
  );
}

/** For a permission: matches only the real path. */
export function allowsPath({ real }: LocatedPath, pattern: PathPattern): boolean {
  return matchesGlob(slashes(real), pattern.real);
}
