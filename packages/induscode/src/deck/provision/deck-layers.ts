import { describeError } from "indusagi/core";
import type { Capability, CapabilitySource } from "../contract/index.ts";

/** Makes the next list of capabilities from the one before. */
export type Layer = (before: readonly Capability[]) => readonly Capability[];

/** Called with the reason when a tool cannot be offered. */
export type Report = (message: string) => void;

/** Adds the current capabilities of a source at the end. */
export function graftLayer(source: Pick<CapabilitySource, "list">): Layer {
  return (before) => [...before, ...source.list()];
}

/** Replaces each capability. */
export function mapLayer(replace: (capability: Capability) => Capability, report: Report): Layer {
  return (before) => before.flatMap((capability) => guarded(replace, capability, report) ?? []);
}

/** Leaves out the capabilities for which `keep` returns false. */
export function retainLayer(keep: (capability: Capability) => boolean, report: Report): Layer {
  return (before) => before.filter((capability) => guarded(keep, capability, report) === true);
}

/** Leaves out a capability whose name an earlier one has. It is offered when the earlier one is removed. */
export function withoutClashes(capabilities: readonly Capability[], report: Report): readonly Capability[] {
  const taken = new Set<string>();
  return capabilities.filter(({ descriptor: { name } }) => {
    if (taken.has(name)) report(`a second tool named ${name} is not offered: the name is taken`);
    return !taken.has(name) && taken.add(name);
  });
}

/** Calls a function once for each capability, so that an unchanged capability has the same value every time. */
export function onceForEach<Value>(
  compute: (capability: Capability) => Value,
): (capability: Capability) => Value {
  const known = new WeakMap<Capability, { readonly value: Value }>();
  return (capability) => {
    const entry = known.get(capability) ?? { value: compute(capability) };
    known.set(capability, entry);
    return entry.value;
  };
}

/** A function of the host that fails for one tool must not hide the others, nor offer the tool without it. */
function guarded<Value>(
  compute: (capability: Capability) => Value,
  capability: Capability,
  report: Report,
): Value | undefined {
  try {
    return compute(capability);
  } catch (thrown) {
    report(`tool ${capability.name} is not offered: ${describeError(thrown)}`);
    return undefined;
  }
}
