import {
  bashTool,
  type DefinedTool,
  editTool,
  findTool,
  grepTool,
  lsTool,
  processTool,
  readTool,
  todoReadTool,
  todoSetTool,
  webFetchTool,
  webSearchTool,
  writeTool,
} from "indusagi/capabilities";
import {
  type Capability,
  type CapabilityCard,
  type CapabilityId,
  capabilityId,
  type DeckContext,
  DeckFault,
  inProfile,
  type Profile,
} from "../contract/index.ts";
import { BuiltinCard } from "./builtin-card.ts";

/** Builds a built-in capability. The native tools use the context only when called. */
export type BridgeBuilder = (ctx: DeckContext) => Capability;

/** One row of the table of built-in tools. */
export interface BuiltinDescriptor extends CapabilityCard {
  readonly build: BridgeBuilder;
}

// The profile names are swapped in all editions: `authoring` is the read-only one.
const READ_ONLY: readonly Profile[] = Object.freeze(["authoring", "survey"] as const);
const MUTATING: readonly Profile[] = Object.freeze(["survey"] as const);

type Row = readonly [id: string, title: string, summary: string, make: () => DefinedTool];

const OBSERVING: readonly Row[] = [
  ["read", "Read file", "Shows the text of a file, or a part of it.", readTool],
  ["ls", "List directory", "Lists the entries of a folder.", lsTool],
  ["grep", "Search file contents", "Finds the lines that match a pattern.", grepTool],
  ["find", "Find files by name", "Finds files and folders by name or glob.", findTool],
  ["websearch", "Web search", "Searches the web.", webSearchTool],
  ["webfetch", "Fetch URL", "Shows a web page as text.", webFetchTool],
  ["todo_read", "Read checklist", "Shows the checklist of the session.", todoReadTool],
];

const CHANGING: readonly Row[] = [
  ["write", "Write file", "Creates a file, or replaces its content.", writeTool],
  ["edit", "Edit file", "Replaces a text in a file.", editTool],
  ["bash", "Run shell command", "Runs a command and shows its output.", bashTool],
  ["process", "Manage background processes", "Starts, lists, polls and stops commands.", processTool],
  ["todo_set", "Update checklist", "Replaces the checklist of the session.", todoSetTool],
];

const TABLE: readonly BuiltinDescriptor[] = Object.freeze([
  ...OBSERVING.map((row) => describe(row, READ_ONLY)),
  ...CHANGING.map((row) => describe(row, MUTATING)),
]);

function describe([id, title, summary, make]: Row, profiles: readonly Profile[]): BuiltinDescriptor {
  // Derived from the profile, so catalog and card cannot differ.
  const readOnly = profiles.includes("authoring");
  const build: BridgeBuilder = () => new BuiltinCard(make(), { title, readOnly });
  return Object.freeze({ id: capabilityId(id), title, summary, profiles, build });
}

/** The twelve built-in tools, in catalog order. Always the same frozen array. */
export function builtinDescriptors(): readonly BuiltinDescriptor[] {
  return TABLE;
}

/** The table by id. */
export function builtinBridge(): ReadonlyMap<CapabilityId, BuiltinDescriptor> {
  return new Map(TABLE.map((row) => [row.id, row]));
}

/** The ids, in the order of the table. */
export function builtinIds(): CapabilityId[] {
  return TABLE.map(({ id }) => id);
}

/** The profiles of each built-in tool. */
export function builtinProfiles(): ReadonlyMap<CapabilityId, readonly Profile[]> {
  return new Map(TABLE.map(({ id, profiles }) => [id, profiles]));
}

/** The rows of the catalog for the built-in tools. */
export function builtinCards(): readonly CapabilityCard[] {
  return TABLE;
}

/** Builds one built-in tool. An unknown id is a `DeckFault` that lists the known ones. */
export function buildBuiltin(id: string, ctx: DeckContext): Capability {
  const row = builtinDescriptors().find((each) => each.id === id);
  if (row) return row.build(ctx);
  throw new DeckFault(
    "unknown_capability",
    `there is no built-in tool named ${JSON.stringify(id)}; known: ${builtinIds().join(", ")}`,
  );
}

/** Builds the built-in tools of a profile, in the order of the table. `all` has all twelve. */
export function buildBuiltinsForProfile(profile: Profile, ctx: DeckContext): Capability[] {
  return builtinDescriptors()
    .filter((row) => inProfile(row, profile))
    .map((row) => row.build(ctx));
}
