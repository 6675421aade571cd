// A mounted box, as a program that uses the library has one.
import { mountProtocolBridge } from "indusagi/interop";

const server = (id, { command, args }) => ({ kind: "stdio", id, command, args });

export async function connect(target) {
  const { box, fleet } = await mountProtocolBridge({ servers: [server("s", target)] });
  const call = (name, input) => box.runner.run({ id: "1", name: `s__${name}`, input });
  return { call, close: () => fleet.tearDown() };
}

export async function listed(target) {
  const { box, fleet } = await mountProtocolBridge({ servers: [server("s", target)] });
  return { count: box.descriptors().length, close: () => fleet.tearDown() };
}

export async function mount({ count, ...target }) {
  const servers = Array.from({ length: count }, (_, at) => server(`s${at}`, target));
  const { box, fleet } = await mountProtocolBridge({ servers });
  if (box.descriptors().length !== 2 * count) throw new Error("not all tools were mounted");
  return { close: () => fleet.tearDown() };
}
