import { coerceArguments, type ToolDescriptor } from "indusagi/llm";
import { annotatedEffect } from "../builtin/internal.ts";
import type { Capability, ToolEffect } from "../contract/index.ts";

/** The capability of each descriptor that a deck offered. A box shows only descriptors, and a policy starts from a box. */
const offered = new WeakMap<ToolDescriptor, Capability>();

/** Called by a deck for each capability that it offers. */
export function noteCapability(capability: Capability): void {
  offered.set(capability.descriptor, capability);
}

/**
 * What a call with this input may do: as the capability's `effect` states it, else by the annotations and, for a native tool, the paths in
 * its input. For a mounted tool (`descriptor.origin`) this is the claim of its server, which counts only if the server is
 * approved; the caller checks that. Never throws.
 */
export function effectOf(descriptor: ToolDescriptor, input: unknown): ToolEffect {
  try {
    // The arguments of a mounted tool are passed on as they are, all others are coerced before the tool uses them.
    return usedEffect(descriptor, descriptor.origin ? input : coerceArguments(descriptor.parameters, input));
  } catch {
    return { readOnly: false };
  }
}

/** The same for arguments as the tool uses them. */
export function usedEffect(descriptor: ToolDescriptor, used: unknown): ToolEffect {
  const capability = offered.get(descriptor);
  if (capability?.effect) return statedEffect(capability, used);
  const { paths, ...effect } = annotatedEffect(descriptor, used);
  const readOnly = effect.readOnly || (capability?.readOnly === true && !descriptor.origin);
  return { ...(readOnly ? { readOnly } : effect), ...(paths ? { paths } : {}) };
}

function statedEffect(capability: Capability, used: unknown): ToolEffect {
  try {
    return capability.effect?.(used) ?? { readOnly: false };
  } catch {
    return { readOnly: false };
  }
}
