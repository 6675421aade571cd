import { joinBoxes, type ToolBox } from "indusagi/runtime";

/** Clients put a prefix of their own before our tool names, and the whole must fit their limit of 64 characters. */
export const MAX_NAME_CHARS = 48;

/** All tools of a gateway as one box: the native tools, then those of the servers. `report`: a tool that is left out. */
export function gatewayBox(native: ToolBox, mounted: ToolBox, report: (message: string) => void): ToolBox {
  return joinBoxes([native, mounted], report);
}
