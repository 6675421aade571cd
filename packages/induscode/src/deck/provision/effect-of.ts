import { coerceArguments, type ToolDescriptor } from "indusagi/llm";
import { annotatedEffect } from "../builtin/annotated-effect.ts";
import type { Capability, ToolEffect } from "../contract/index.ts";

/** The capability behind each offered descriptor: a policy sees only a box, which has descriptors. */
const offered = new WeakMap<ToolDescriptor, Capability>();

/** Called by a deck for each capability that it offers. */
export function noteCapability(capability: Capability): void {
  offered.set(capability.descriptor, capability);
}

/**
 * What a call with this input may do: as the capability's `effect` states, else by the annotations and, for a native tool, the
 * paths in its input. For a mounted tool (`descriptor.origin`) this is only its server's claim: the caller checks that the
 * server is approved. Never throws.
 */
export function effectOf(descriptor: ToolDescriptor, input: unknown): ToolEffect {
  try {
    // A mounted tool gets its arguments unchanged; all others coerce them.
    return usedEffect(descriptor, descriptor.origin ? input : coerceArguments(descriptor.parameters, input));
  } catch {
    return { readOnly: false };
  }
}

/** The same for arguments that are already coerced. */
export function usedEffect(descriptor: ToolDescriptor, used: unknown): ToolEffect {
  const capability = offered.get(descriptor);
  if (capability?.effect) return statedEffect(capability, used);
  const effect = annotatedEffect(descriptor, used);
  if (!capability?.readOnly || descriptor.origin) return effect;
  const { destructive: _, ...readOnly } = { ...effect, readOnly: true };
  return readOnly;
}

function statedEffect(capability: Capability, used: unknown): ToolEffect {
  try {
    return capability.effect?.(used) ?? { readOnly: false };
  } catch {
    return { readOnly: false };
  }
}
