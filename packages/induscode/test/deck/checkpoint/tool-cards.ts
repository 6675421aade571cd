import {
  type DefinedTool,
  editTool,
  type SessionContext,
  type ToolContext,
  writeTool,
} from "indusagi/capabilities";
import type { ToolOutcome } from "indusagi/runtime";
import type { Capability, CheckpointStore, FileState, PreviousState } from "induscode/deck";

/** A native tool as a capability. */
export function cardOf(tool: DefinedTool): Capability {
  return {
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    readOnly: false,
    descriptor: tool.descriptor(),
    run: (input, ctx) => tool.execute(input, ctx),
    invoke: (call, ctx) => tool.invoke(call, ctx),
  };
}

export const writeCard = (): Capability => cardOf(writeTool());
export const editCard = (): Capability => cardOf(editTool());

/** The context of one call in a session. */
export function callContext(
  session: SessionContext,
  input: unknown,
  signal: AbortSignal = new AbortController().signal,
): ToolContext {
  return { ...session, signal, call: { id: "c1", name: "tool", input } };
}

export async function invoke(
  card: Capability,
  session: SessionContext,
  input: unknown,
): Promise<ToolOutcome> {
  const ctx = callContext(session, input);
  if (!card.invoke) throw new Error("the card has no invoke");
  return card.invoke(ctx.call, ctx);
}

export interface Kept {
  readonly path: string;
  readonly state: { readonly bytes: Buffer; readonly mode: number | undefined } | "unknown" | undefined;
}

/** A store that keeps everything in lists. */
export function listStore(): CheckpointStore & { readonly before: Kept[]; readonly after: Kept[] } {
  const before: Kept[] = [];
  const after: Kept[] = [];
  return {
    before,
    after,
    record: async (path, state) => void before.push({ path, state: await collected(state) }),
    wrote: async (path, state) => void after.push({ path, state: await collected(state) }),
  };
}

async function collected(state: PreviousState): Promise<Kept["state"]> {
  if (state === undefined || state === "unknown") return state;
  return { bytes: await allBytes(state), mode: state.mode };
}

async function allBytes({ bytes }: FileState): Promise<Buffer> {
  if (bytes instanceof Uint8Array) return Buffer.from(bytes);
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
