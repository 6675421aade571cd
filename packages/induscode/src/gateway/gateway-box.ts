import { joinBoxes, type ToolBox } from "indusagi/runtime";

/** All tools of a gateway as one box: the native tools, then those of the servers. `report`: a tool that is left out. */
export function gatewayBox(native: ToolBox, mounted: ToolBox, report: (message: string) => void): ToolBox {
  return joinBoxes([native, mounted], report);
}
