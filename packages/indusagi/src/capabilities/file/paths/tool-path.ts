import { join, relative, resolve, sep } from "node:path";
import { escapeForDisplay, isInside } from "../../../core/index.ts";
import type { ToolContext } from "../../contract/index.ts";

/** The absolute path of a tool's argument: `~` is the home folder, relative paths start at the session's folder. */
export function toolPath(ctx: Pick<ToolContext, "cwd">, path: string): string {
  if (path === "~" || path.startsWith("~/") || path.startsWith(`~${sep}`))
    return join(process.getBuiltinModule("node:os").homedir(), path.slice(1));
  return resolve(ctx.cwd, path);
}

/**
 * A path as a model sees it and can send it back: relative inside the session's folder, absolute outside.
 * Invisible characters in it are escaped.
 */
export function shownPath(ctx: Pick<ToolContext, "cwd">, path: string): string {
  return escapeForDisplay(isInside(path, [ctx.cwd]) ? relative(ctx.cwd, path) || "." : path);
}
