import { isRecord } from "../../core/internal.ts";
import { Extension, type Extensions } from "../contract/index.ts";

/** A tool's definition, as its server sent it. */
interface Defined {
  readonly definition?: { readonly [member: string]: unknown } | undefined;
}

/** Who may call a tool of an app. */
type AppAudience = "model" | "app";

/** The scheme of an app's pages. */
const PAGE = /^ui:\/\//i;

export function isAppPage(uri: string): boolean {
  return PAGE.test(uri);
}

/** The pages that a definition names, in the current member and in the older flat one. They may be in no list. */
export function appPagesOf({ definition }: Defined): readonly string[] {
  const meta = definition?.["_meta"];
  if (!isRecord(meta)) return [];
  const ui = meta["ui"];
  const named = [isRecord(ui) ? ui["resourceUri"] : undefined, meta["ui/resourceUri"]];
  return named.filter((uri): uri is string => typeof uri === "string" && isAppPage(uri));
}

/** Whether only apps may call a tool. A client that shows no apps would offer it to its model. */
export function isAppOnly(tool: Defined): boolean {
  const audience = audienceOf(tool);
  return audience !== undefined && !audience.includes("model") && audience.includes("app");
}

/** Whether a tool's definition says itself that apps may call it; by default they may, without it saying so. */
export function isNamedForApps(tool: Defined): boolean {
  return audienceOf(tool)?.includes("app") ?? false;
}

/** Whether a client can show apps. */
export function showsApps(declared: Extensions | undefined): boolean {
  return declared !== undefined && Object.hasOwn(declared, Extension.UI);
}

function audienceOf({ definition }: Defined): readonly AppAudience[] | undefined {
  const meta = definition?.["_meta"];
  const ui = isRecord(meta) ? meta["ui"] : undefined;
  const visibility = isRecord(ui) ? ui["visibility"] : undefined;
  return Array.isArray(visibility) ? (visibility as readonly AppAudience[]) : undefined;
}
