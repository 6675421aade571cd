import { type Tool, type ToolBox, toolsOf } from "indusagi/runtime";
import { BridgeCapability } from "./bridge-capability.ts";

/** The tools of a mounted box as capabilities that follow the box. An unchanged tool stays the same capability. */
export interface BridgeSource {
  list(): readonly BridgeCapability[];
  /** Calls `listener` after every change of the box. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Why a tool that is not listed is refused; see `ToolBox.refusalOf`. */
  readonly refusalOf?: ToolBox["refusalOf"];
}

/** For `ToolDeck.graft`: follows the tools as they come and go. `bridgeBoxToCapabilities` takes a snapshot. */
export function bridgeBoxSource(box: ToolBox): BridgeSource {
  const known = new WeakMap<Tool, BridgeCapability>();
  const capabilityOf = (tool: Tool): BridgeCapability => {
    const capability = known.get(tool) ?? new BridgeCapability(tool.descriptor, tool);
    known.set(tool, capability);
    return capability;
  };
  const list = (): readonly BridgeCapability[] => toolsOf(box).map(capabilityOf);
  return {
    list,
    refusalOf: box.refusalOf,
    onChange: (listener) => {
      list(); // Registers `toolsOf`'s own listener first, so `listener` sees the tools after the change.
      return box.onChange(() => listener());
    },
  };
}
