/** The rooms of the product that many commands do without. */
const HEAVY_PRODUCT =
  /^(attach|cards|clients|doctor|history|ledger|ledger-log|log|login|models|pins|policy|trust)$/;
/** The rooms of the framework that many commands do without. */
const HEAVY_FRAMEWORK = /^(capabilities|host|interop|mcp)$/;

/**
 * Returns a function that chooses the chunk of a module. Node takes some tenths of a millisecond to load a file of any
 * size, so what is used together is one file, and what only some commands use is another:
 *
 * - what is loaded whatever the command is, with the entry;
 * - each room of the framework, as far as its public entries load it at once;
 * - what only one command uses, with that command;
 * - modules of the product together if they need the same heavy rooms. A module with fewer needs never imports one with
 *   more, so these chunks do not import each other in circles.
 *
 * `natural` is the output without a choice, in as many chunks as there are ways to reach a module.
 */
export function chunkChooser(natural, isInRoom) {
  const chunks = new Map(
    natural.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]),
  );
  const reached = (first) => {
    const found = new Set([first]);
    for (const name of found)
      for (const next of chunks.get(name).imports) if (chunks.has(next)) found.add(next);
    return [...found].flatMap((name) => Object.keys(chunks.get(name).modules));
  };
  const entry = [...chunks.values()].find(({ isEntry }) => isEntry).fileName;
  const start = new Set(reached(entry));
  const chunkNames = new Map();
  for (const { fileName, name, modules, facadeModuleId } of chunks.values()) {
    const isCommand = facadeModuleId && placeOf(facadeModuleId)?.room === "commands";
    const needs = [...new Set(reached(fileName).flatMap(heavyRoom))].toSorted((a, b) => (a < b ? -1 : 1));
    const chosen = isCommand ? `command-${name}` : ["part", ...needs].join("-");
    for (const id of Object.keys(modules)) chunkNames.set(id, chosen);
  }
  return (id) => {
    if (start.has(id)) return "main";
    const place = placeOf(id);
    if (place?.name === "indusagi") return isInRoom(id) ? place.room : undefined;
    return place && chunkNames.get(id);
  };
}

/** Parts of rooms of the framework that are used without the rest, or seldom. */
const APART = new Set(["llm/arguments", "llm/outline", "runtime/economy"]);

/** The package and the room of one of our modules. */
function placeOf(id) {
  const [, name, room, part] =
    /packages\/(\w+)\/src\/([\w-]+)\/(?:([\w-]+)\/)?/.exec(id.replaceAll("\\", "/")) ?? [];
  if (room === undefined) return undefined;
  if (room === "interop" && part === "host") return { name, room: "host" };
  // What configuration files are read with, before anything is opened.
  if (room === "interop" && (part === "contract" || id.endsWith("/installed-package.ts")))
    return { name, room: "contract" };
  if (name === "indusagi" && APART.has(`${room}/${part}`)) return { name, room: part };
  if (room === "deck") return { name, room: PROVISION.test(part) ? "cards" : part };
  return { name, room: room === "servers" ? part : room };
}

/** The parts of the deck that provision a session are used together. */
const PROVISION = /^(builtin|cards|catalog|checkpoint|provision)$/;

function heavyRoom(id) {
  const { name, room = "" } = placeOf(id) ?? {};
  return (name === "indusagi" ? HEAVY_FRAMEWORK : HEAVY_PRODUCT).test(room) ? [room] : [];
}
