import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from "@ai-sdk/provider";
import type { FinishReason, ModelEvent, ModelUsage, VendorData } from "indusagi/llm";
import type { NameMap } from "./to-prompt.ts";

type FinishPart = Extract<LanguageModelV3StreamPart, { readonly type: "finish" }>;

/** Text or reasoning that is still arriving. */
interface OpenPart {
  readonly kind: "text" | "reasoning";
  text: string;
  vendor: VendorData | undefined;
}

/** Converts a provider package's stream to our events. Throws the errors that the provider reports. */
export async function* fromStream(
  parts: AsyncIterable<LanguageModelV3StreamPart>,
  ownNames: NameMap,
): AsyncGenerator<ModelEvent> {
  const open = new Map<string, OpenPart>();
  let finish: FinishPart | undefined;
  for await (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        open.set(part.id, { kind: kindOf(part.type), text: "", vendor: vendorOf(part.providerMetadata) });
        break;
      case "text-delta":
      case "reasoning-delta": {
        const kind = kindOf(part.type);
        const whole = open.get(part.id) ?? { kind, text: "", vendor: undefined };
        open.set(part.id, whole);
        whole.text += part.delta;
        whole.vendor = joined(whole.vendor, part.providerMetadata);
        if (part.delta !== "") yield { kind: `${kind}_delta`, text: part.delta };
        break;
      }
      case "text-end":
      case "reasoning-end": {
        const whole = open.get(part.id);
        open.delete(part.id);
        if (whole) yield* complete(whole, part.providerMetadata);
        break;
      }
      case "tool-input-delta":
        if (part.delta !== "") yield { kind: "call_delta", text: part.delta };
        break;
      case "tool-call": {
        const { toolCallId: id, toolName, input, providerMetadata } = part;
        const name = ownNames.get(toolName) ?? toolName;
        const vendor = vendorOf(providerMetadata);
        yield {
          kind: "part",
          part: { kind: "tool_call", id, name, input: parsed(input), ...(vendor && { vendor }) },
        };
        break;
      }
      case "error":
        throw part.error;
      case "finish":
        finish = part;
        break;
      default:
      // Sources, files and metadata are not part of a conversation with tools.
    }
  }
  for (const whole of open.values()) yield* complete(whole, undefined);
  yield { kind: "finish", reason: finishReason(finish), ...(finish && { usage: usageOf(finish) }) };
}

function kindOf(type: string): OpenPart["kind"] {
  return type.startsWith("text") ? "text" : "reasoning";
}

function* complete(
  { kind, text, vendor }: OpenPart,
  metadata: SharedV3ProviderMetadata | undefined,
): Generator<ModelEvent> {
  const own = joined(vendor, metadata);
  // Reasoning without text may still have a signature that must be sent back.
  if (text === "" && (kind === "text" || !own)) return;
  yield { kind: "part", part: { kind, text, ...(own && { vendor: own }) } };
}

function vendorOf(metadata: SharedV3ProviderMetadata | undefined): VendorData | undefined {
  const given = Object.entries(metadata ?? {}).filter(([, data]) => Object.keys(data ?? {}).length > 0);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

function joined(
  vendor: VendorData | undefined,
  metadata: SharedV3ProviderMetadata | undefined,
): VendorData | undefined {
  const more = vendorOf(metadata);
  if (!vendor || !more) return vendor ?? more;
  const names = new Set([...Object.keys(vendor), ...Object.keys(more)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      { ...(vendor[name] as object | undefined), ...(more[name] as object | undefined) },
    ]),
  );
}

/** Invalid JSON stays text: the agent tells the model what is wrong with it. */
function parsed(input: string): unknown {
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

const REASONS: { readonly [unified: string]: FinishReason } = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "refused",
};

function finishReason(finish: FinishPart | undefined): FinishReason {
  return (finish && REASONS[finish.finishReason.unified]) ?? "other";
}

function usageOf({ usage: { inputTokens, outputTokens } }: FinishPart): ModelUsage {
  const counts = {
    inputTokens: inputTokens.total,
    cachedInputTokens: inputTokens.cacheRead,
    outputTokens: outputTokens.total,
    reasoningTokens: outputTokens.reasoning,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}
