import type { ToolDescriptor } from "indusagi/llm";
import type { ToolBox, ToolBoxChange } from "indusagi/runtime";
import { BridgeCapability } from "./bridge-capability.ts";

/** The tools of a mounted box as capabilities that follow the box. An unchanged tool stays the same capability. */
export interface BridgeSource {
  list(): readonly BridgeCapability[];
  /** Calls `listener` after every change of the box. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Why a tool that is not listed is refused; see `ToolBox.refusalOf`. */
  readonly refusalOf?: ToolBox["refusalOf"];
}

/** For `ToolDeck.graft`: tools of servers come and go. `bridgeBoxToCapabilities` gives those of one moment. */
export function bridgeBoxSource(box: ToolBox): BridgeSource {
  const known = new WeakMap<ToolDescriptor, BridgeCapability>();
  const capabilityOf = (descriptor: ToolDescriptor): BridgeCapability => {
    const capability = known.get(descriptor) ?? new BridgeCapability(descriptor, box.runner);
    known.set(descriptor, capability);
    return capability;
  };
  // A changed tool may keep its descriptor; it must still be a new capability, and the same one for all listeners.
  const applied = new WeakSet<ToolBoxChange>();
  const apply = (change: ToolBoxChange): void => {
    if (applied.has(change)) return;
    applied.add(change);
    for (const descriptor of change.changed) known.delete(descriptor);
  };
  return {
    list: () => box.descriptors().map(capabilityOf),
    refusalOf: box.refusalOf,
    onChange: (listener) =>
      box.onChange((change) => {
        apply(change);
        listener();
      }),
  };
}
