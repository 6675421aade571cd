import { clamp } from "../../kernel/budget.ts";

const MAX_DIFF_BYTES = 16 * 1024;
const DIFF_TIMEOUT_MS = 1000;

/** The change from one text to another as a unified diff with three lines of context, of at most 16 KB. */
export async function unifiedDiff(path: string, before: string, after: string): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    timeout: DIFF_TIMEOUT_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  if (patch === undefined) return `(the change to ${path} is too large to be shown as a diff)`;
  return clamp(patch, { kind: "head", maxBytes: MAX_DIFF_BYTES });
}
