import type { ToolContext } from "indusagi/capabilities";
import { CoreError, describeError } from "indusagi/core";
import { failureResult, type ToolResult, textResult } from "indusagi/runtime";
import type { Capability, CapabilityCard, MemoryStore, ToolEffect } from "../contract/index.ts";
import { appCard, defineCard } from "./define-card.ts";
import { InMemoryStore } from "./memory-store.ts";

/** `memory`: short notes that outlive the conversation if the host's store does. */
export function memoryCard(): CapabilityCard {
  return appCard({
    id: "memory",
    title: "Working memory",
    summary: "Read, replace or extend the notes of this workspace.",
    build: ({ framework }) => memoryCapability(framework.memory),
  });
}

interface MemoryInput {
  readonly action: "read" | "replace" | "append";
  readonly content?: string;
}

function memoryCapability(given: MemoryStore | undefined): Capability {
  const store = given ?? new InMemoryStore();
  const lifetime = given ? "They are kept for later sessions." : "They are lost when this session ends.";
  return defineCard<MemoryInput>({
    name: "memory",
    label: "Working memory",
    description:
      `Keep notes, at most 64 KiB in all. ${lifetime} read returns all notes; append adds a note at the end; ` +
      "replace replaces all notes. Do not store passwords or keys.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["read", "replace", "append"] },
        content: { type: "string", description: "The text, for replace and append." },
      },
      required: ["action"],
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    effect: ({ action }) => EFFECTS[action],
    run: (input, ctx) => useMemory(store, input, ctx),
  });
}

const EFFECTS: { readonly [action in MemoryInput["action"]]: ToolEffect } = {
  read: { readOnly: true, paths: [] },
  replace: { readOnly: false, destructive: true, paths: [] },
  append: { readOnly: false, destructive: false, paths: [] },
};

async function useMemory(
  store: MemoryStore,
  { action, content }: MemoryInput,
  ctx: ToolContext,
): Promise<ToolResult> {
  try {
    if (action === "read") return textResult((await store.read()) || "(no notes)");
    if (content === undefined) return failureResult(`memory: "content" is missing; ${action} needs the text`);
    await store[action](content);
    return textResult(`${action === "append" ? "appended" : "replaced the notes with"} ${sizeOf(content)}`);
  } catch (thrown) {
    if (ctx.signal.aborted || CoreError.is(thrown)) throw thrown;
    return failureResult(`memory: could not ${action} the notes: ${describeError(thrown)}`);
  }
}

function sizeOf(content: string): string {
  const bytes = Buffer.byteLength(content);
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}
