import type { ToolBox } from "../../runtime/index.ts";

/** Something that has its tools in a box, e.g. a pool of clients. */
export interface ToolBoxSource {
  /** The same box every time; it follows what its owner gains and loses. */
  toolBox(): ToolBox;
}

/** Where an adapter takes tools from. */
export type ToolSource = ToolBox | ToolBoxSource;

/** The box of a source. */
export function toolBoxOf(source: ToolSource): ToolBox {
  // A caller without types may bring a client, which has tools but no box, or nothing at all.
  const given: Partial<ToolBoxSource & ToolBox> | undefined = source;
  if (typeof given?.toolBox === "function") return given.toolBox();
  if (typeof given?.descriptors === "function") return given as ToolBox;
  throw new TypeError(
    "an adapter takes a tool box or what has one, e.g. a pool; put a single client into a pool",
  );
}
