import type { ToolBox } from "../../runtime/index.ts";

/** An object that has a tool box, e.g. a pool of clients. */
export interface ToolBoxSource {
  /** Always returns the same box, which follows changes of its owner. */
  toolBox(): ToolBox;
}

/** The source of an adapter's tools. */
export type ToolSource = ToolBox | ToolBoxSource;

export function toolBoxOf(source: ToolSource): ToolBox {
  // Callers without types may pass a client, which has no box, or nothing.
  const given: Partial<ToolBoxSource & ToolBox> | undefined = source;
  if (typeof given?.toolBox === "function") return given.toolBox();
  if (typeof given?.descriptors === "function") return given as ToolBox;
  throw new TypeError(
    "an adapter needs a tool box or an object with one, e.g. a pool; put a single client into a pool",
  );
}
