import type { ToolBox } from "indusagi/runtime";
import type { ToolSelection } from "../../launch/internal.ts";
import type { Run } from "../run/open-run.ts";

/** Opens a collection of native tools in the workspace: all of it, or what `--tools` and `--no-tools` keep. */
export async function openNativeTools(
  run: Pick<Run, "cwd" | "open">,
  collection: string,
  selection: Partial<ToolSelection> = {},
): Promise<ToolBox> {
  const { toolBox } = await import("indusagi/capabilities");
  const box = await run.open(Promise.resolve(toolBox(collection, run.cwd)));
  if (!selection.noTools && !selection.tools?.length) return box;
  return (await import("./select-tools.ts")).selectedBox(box, selection);
}
