import { type ToolBox, viewBox } from "../../runtime/index.ts";
import { isAppOnly, showsApps } from "../content/index.ts";
import type { Extensions } from "../contract/index.ts";

/**
 * The tools as clients that declared these extensions see them. Those that show no apps do not get the tools that only apps may
 * call: they would offer them to their models.
 */
export function clientBox(box: ToolBox, declared: Extensions | undefined): ToolBox {
  return showsApps(declared) ? box : viewBox(box, { show: (tool) => (isAppOnly(tool) ? undefined : tool) });
}
