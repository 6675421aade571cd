import { READ_ONLY_NAMES } from "indusagi/capabilities";
import type { Run } from "../boot/internal.ts";
import { showNativeTools } from "../screen/index.ts";

/** `indus tools`: lists the native tools, as a table or as JSON. */
export async function tools(run: Run, { json }: { readonly json: boolean }): Promise<number> {
  const box = await run.openNativeTools("all");
  const descriptors = box.descriptors();
  run.terminal.out(
    json
      ? `${JSON.stringify(descriptors, undefined, 2)}\n`
      : showNativeTools(descriptors, READ_ONLY_NAMES, run.terminal.outLook),
  );
  return 0;
}
