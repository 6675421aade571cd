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
  return "toolBox" in source ? source.toolBox() : source;
}
