import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { escapeForDisplay } from "../../../../core/index.ts";
import type { ToolContext } from "../../../contract/index.ts";

/** The absolute path a tool's argument means: `~` is the home folder, anything relative starts at the session's folder. */
export function toolPath(ctx: Pick<ToolContext, "cwd">, path: string): string {
  if (path === "~" || path.startsWith("~/") || path.startsWith(`~${sep}`))
    return join(process.getBuiltinModule("node:os").homedir(), path.slice(1));
  return resolve(ctx.cwd, path);
}

/**
 * A path as a model should see it and can send it back: relative inside the session's folder, absolute outside.
 * Only a name that hides something in it is changed: what cannot be seen is written out.
 */
export function shownPath(ctx: Pick<ToolContext, "cwd">, path: string): string {
  const way = relative(ctx.cwd, path);
  if (way === "") return ".";
  const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
  return escapeForDisplay(isOutside ? path : way);
}
