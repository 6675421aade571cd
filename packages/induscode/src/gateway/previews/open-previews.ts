import type { HostProviders, ProviderSource, ResourceProvider } from "indusagi/interop";
import type { ToolContentBlock, ToolDescriptor } from "indusagi/llm";
import {
  answeredOutcome,
  type Caller,
  layerBox,
  mcpBlock,
  openResultReader,
  previewOf,
  resultText,
  type Tool,
  type ToolBox,
  type ToolOutcome,
  toolsOf,
} from "indusagi/runtime";
import { aroundCalls } from "../around-calls.ts";
import { jsonSize, resultSize } from "../operations/json-size.ts";
import { type Artifact, artifactContents, artifactIdIn, artifactText, artifactUri } from "./artifact.ts";
import { type ArtifactLimits, ArtifactStore } from "./artifact-store.ts";

/** Results that other gateways of a cluster keep. */
export interface ResultsElsewhere {
  /** The id that clients get for a result kept here. It starts with the id given. */
  idFor(id: string): string;
  /** A part of a result that another gateway keeps for this owner. Undefined if nobody does. */
  read<Part extends keyof ResultParts>(
    id: string,
    owner: string,
    part: Part,
  ): Promise<ResultParts[Part] | undefined>;
  /** What the others get from here. */
  serve(read: (id: string, owner: string, part: keyof ResultParts) => unknown): void;
}

/** How a result is read: as a text, page by page, or as a resource. */
export interface ResultParts {
  readonly text: string;
  readonly contents: readonly object[];
}

export interface PreviewsOptions {
  /** Larger results are previewed. */
  readonly overBytes: number;
  /** Whether clients share the gateway: over HTTP. */
  readonly serves: "stdio" | "http";
  readonly limits?: ArtifactLimits | undefined;
  /** Default: all results are here. */
  readonly elsewhere?: ResultsElsewhere | undefined;
  /** For tests. */
  readonly now?: (() => number) | undefined;
}

/** Previews of large results, and two ways to read the whole: a tool for models and a resource for programs. */
export interface Previews {
  /** Replaces large results by previews. Put it inside a search, where each tool still has its own definition. */
  shorten(box: ToolBox): ToolBox;
  /** Adds the tool that reads results. */
  withReader(box: ToolBox): ToolBox;
  /** Adds the whole results as resources. */
  withResults(source: ProviderSource): ProviderSource;
}

/** For one answer of the reader, which is not previewed itself. */
const MAX_ANSWER_CHARS = 20_000;
/** How much of a text a preview shows; more would defeat the purpose. */
const MAX_PREVIEW_CHARS = 4_000;
/** Clients of the modern era without a token have no identity: the unguessable id of a result is enough. */
const ANYONE = "";

export async function openPreviews({
  overBytes,
  serves,
  limits,
  now,
  elsewhere,
}: PreviewsOptions): Promise<Previews> {
  const store = new ArtifactStore(limits, now, (id) => elsewhere?.idFor(id) ?? id);
  const readHere = <Part extends keyof ResultParts>(
    id: string,
    owner: string,
    part: Part,
  ): ResultParts[Part] | undefined => {
    const artifact = store.find(owner, id);
    return artifact && READ[part](artifact);
  };
  const read = async <Part extends keyof ResultParts>(
    id: string,
    owner: string,
    part: Part,
  ): Promise<ResultParts[Part] | undefined> =>
    readHere(id, owner, part) ?? (await elsewhere?.read(id, owner, part));
  elsewhere?.serve(readHere);
  /** Only clients of the modern era support suspended calls. Over HTTP their requests have no session. */
  const ownerOf = (caller: Caller | undefined): string =>
    caller?.principal ?? (serves === "http" && caller?.can.suspend ? ANYONE : (caller?.key ?? ANYONE));
  const shortened = (outcome: ToolOutcome, mayShorten: () => boolean, caller?: Caller): ToolOutcome => {
    if (outcome.fault || outcome.suspended) return outcome;
    const bytes = resultSize(outcome);
    if (bytes <= overBytes || !mayShorten()) return outcome;
    const artifact = store.keep(ownerOf(caller), outcome, bytes);
    return artifact ? previewOutcome(outcome, artifact, overBytes) : outcome;
  };
  const readerFor = async (owner: string): Promise<ToolBox> =>
    openResultReader(
      {
        keep: async () => {},
        read: (id) => read(id, owner, "text"),
      },
      MAX_ANSWER_CHARS,
    );
  const [reader] = toolsOf(await readerFor(ANYONE));
  const ownReader: readonly Tool[] = reader
    ? [
        {
          descriptor: reader.descriptor,
          run: async (call, signal, caller) =>
            (await readerFor(ownerOf(caller))).runner.run(call, signal, caller),
        },
      ]
    : [];
  return {
    shorten: (box) =>
      aroundCalls(box, (run, find) => async (call, signal, caller) => {
        const outcome = await run(call, signal, caller);
        return shortened(outcome, () => !promisesOutput(find(call.name)), caller);
      }),
    withReader: (box) =>
      layerBox(box, { list: (tools) => [...tools, ...ownReader], missing: (next) => next }),
    withResults: withResultResources((id, caller) => read(id, ownerOf(caller), "contents")),
  };
}

const READ: { readonly [Part in keyof ResultParts]: (artifact: Artifact) => ResultParts[Part] } = {
  text: artifactText,
  contents: artifactContents,
};

/** Whether a tool has an output schema, which a preview would not match. */
function promisesOutput(tool: ToolDescriptor | undefined): boolean {
  return tool?.outputSchema !== undefined || tool?.definition?.["outputSchema"] !== undefined;
}

/**
 * What a client gets instead of a large result: the beginning and the end of its text, images that fit, and
 * a link to the whole result, which also has the structured content.
 */
function previewOutcome(
  outcome: ToolOutcome,
  { id, bytes }: Pick<Artifact, "id" | "bytes">,
  overBytes: number,
): ToolOutcome {
  const { content, meta, isError } = outcome.result;
  const maxChars = Math.min(MAX_PREVIEW_CHARS, Math.floor(overBytes / 2));
  const isLong = resultText(content).length > maxChars;
  const shown = isLong ? previewOf(content, { id, maxChars }) : content;
  return answeredOutcome(outcome.id, {
    content: [...withinSize(shown, overBytes), linkTo({ id, bytes })],
    ...(isError === undefined ? {} : { isError }),
    ...(meta === undefined ? {} : { meta }),
  });
}

/** The blocks that fit, in order, and a note in place of each one that does not. */
function withinSize(blocks: readonly ToolContentBlock[], maxBytes: number): readonly ToolContentBlock[] {
  let left = maxBytes;
  return blocks.map((block) => {
    const size = jsonSize(block.kind === "text" ? block.text : block.value);
    if (block.kind !== "text" && size > left)
      return { kind: "text", text: `[a block of ${size} bytes is left out; the link has it]` };
    left -= size;
    return block;
  });
}

function linkTo({ id, bytes }: Pick<Artifact, "id" | "bytes">): ToolContentBlock {
  return mcpBlock({
    type: "resource_link",
    uri: artifactUri(id),
    name: `result-${id.slice(0, 8)}`,
    title: "The whole result",
    description: `The whole result, about ${bytes} bytes. It is kept for a short time.`,
    size: bytes,
  });
}

type FindContents = (id: string, caller: Caller) => Promise<ResultParts["contents"] | undefined>;

/** Only reading differs; results are not listed. A provider shared by several clients stays one object. */
function withResultResources(find: FindContents): Previews["withResults"] {
  const known = new WeakMap<ResourceProvider, ResourceProvider>();
  const providerWith = (provider: ResourceProvider): ResourceProvider => {
    const made = known.get(provider) ?? { ...provider, read: readResult(provider, find) };
    known.set(provider, made);
    return made;
  };
  const withResults = (providers: HostProviders): HostProviders =>
    providers.resources ? { ...providers, resources: providerWith(providers.resources) } : providers;
  return (source) =>
    typeof source === "function" ? (client) => withResults(source(client)) : withResults(source);
}

function readResult(provider: ResourceProvider, find: FindContents): ResourceProvider["read"] {
  return async (uri, request) => {
    const id = artifactIdIn(uri);
    if (id === undefined) return provider.read(uri, request);
    const contents = await find(id, request.caller);
    return contents && { contents };
  };
}
