import { Listeners } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { type ToolBox, type ToolBoxChange, unknownToolOutcome } from "indusagi/runtime";

/** Which box answers to a name, and what it says about that tool. */
interface Place {
  readonly box: ToolBox;
  readonly descriptor: ToolDescriptor;
}

/**
 * Several boxes as one: the tools of the first, then those of the next. Of two with one name the earlier box's counts;
 * the other is reported once, and takes its place when that one leaves.
 */
export function joinBoxes(boxes: readonly ToolBox[], report: (message: string) => void = () => {}): ToolBox {
  const changes = new Listeners<ToolBoxChange>();
  const reported = new Set<string>();
  let places: ReadonlyMap<string, Place> = new Map();
  let descriptors: readonly ToolDescriptor[] = Object.freeze([]);

  const refresh = (): void => {
    const before = places;
    places = placesIn(boxes, ({ descriptor: { name } }) => {
      if (reported.has(name)) return;
      reported.add(name);
      report(`a second tool named ${name} is not offered: the name is taken`);
    });
    const change = difference(before, places);
    if (!change) return;
    descriptors = Object.freeze([...places.values()].map(({ descriptor }) => descriptor));
    changes.emit(change);
  };
  refresh();
  for (const box of boxes) box.onChange(refresh);

  return {
    descriptors: () => descriptors,
    onChange: (listener) => changes.add(listener),
    runner: {
      run: async (call, signal, caller) => {
        const place = places.get(call.name);
        return place ? place.box.runner.run(call, signal, caller) : unknownToolOutcome(call.id, call.name);
      },
    },
  };
}

function placesIn(boxes: readonly ToolBox[], onClash: (place: Place) => void): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const box of boxes) {
    for (const descriptor of box.descriptors()) {
      const place = { box, descriptor };
      if (places.has(descriptor.name)) onClash(place);
      else places.set(descriptor.name, place);
    }
  }
  return places;
}

function difference(
  before: ReadonlyMap<string, Place>,
  after: ReadonlyMap<string, Place>,
): ToolBoxChange | undefined {
  const added: ToolDescriptor[] = [];
  const changed: ToolDescriptor[] = [];
  for (const [name, { box, descriptor }] of after) {
    const old = before.get(name);
    if (!old) added.push(descriptor);
    else if (old.descriptor !== descriptor || old.box !== box) changed.push(descriptor);
  }
  const removed = [...before.values()]
    .map(({ descriptor }) => descriptor)
    .filter(({ name }) => !after.has(name));
  return added.length + changed.length + removed.length > 0 ? { added, changed, removed } : undefined;
}
