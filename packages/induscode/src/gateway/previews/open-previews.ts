import type { HostProviders, ProviderSource, ResourceProvider } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import {
  type Caller,
  openResultReader,
  READ_RESULT,
  type ToolBox,
  type ToolOutcome,
  wrapCalls,
} from "indusagi/runtime";
import { jsonSize } from "../operations/json-size.ts";
import { artifactContents, artifactIdIn, artifactText } from "./artifact.ts";
import { type ArtifactLimits, ArtifactStore } from "./artifact-store.ts";
import { previewOutcome } from "./preview-outcome.ts";

export interface PreviewsOptions {
  /** Larger results are previewed. */
  readonly overBytes: number;
  /** Whether clients share the gateway: over HTTP. */
  readonly serves: "stdio" | "http";
  readonly limits?: ArtifactLimits;
  /** For tests. */
  readonly now?: () => number;
}

/** Previews of large results, and the ways to read the whole: a tool for models, and a resource for programs. */
export interface Previews {
  /** A box whose large results are previews. Put it inside a search, where each tool has its own definition. */
  shorten(box: ToolBox): ToolBox;
  /** The same box with the tool that reads results. */
  withReader(box: ToolBox): ToolBox;
  /** The same providers, and the whole results beside their resources. */
  withResults(source: ProviderSource): ProviderSource;
}

/** An answer of the reader itself is not previewed. */
const MAX_ANSWER_CHARS = 20_000;
/** Clients of the modern era without a token have no identity: the id of a result, which cannot be guessed, stands for them. */
const ANYONE = "";

export async function openPreviews({ overBytes, serves, limits, now }: PreviewsOptions): Promise<Previews> {
  const store = new ArtifactStore(limits, now);
  /** Only a client of the modern era can take a suspended call. Over HTTP its requests belong to no session. */
  const ownerOf = (caller: Caller | undefined): string =>
    caller?.principal ?? (serves === "http" && caller?.can.suspend ? ANYONE : (caller?.key ?? ANYONE));
  const shortened = (outcome: ToolOutcome, mayShorten: () => boolean, caller?: Caller): ToolOutcome => {
    if (outcome.fault || outcome.suspended) return outcome;
    const bytes = jsonSize(outcome.wire?.value() ?? outcome.result);
    if (bytes <= overBytes || !mayShorten()) return outcome;
    const artifact = store.keep(ownerOf(caller), outcome, bytes);
    return artifact ? previewOutcome(outcome, artifact, overBytes) : outcome;
  };
  const readerFor = async (owner: string): Promise<ToolBox> =>
    openResultReader(
      {
        keep: async () => {},
        read: async (id) => {
          const artifact = store.find(owner, id);
          return artifact && artifactText(artifact);
        },
      },
      MAX_ANSWER_CHARS,
    );
  const [reader] = (await readerFor(ANYONE)).descriptors();
  return {
    shorten: (box) =>
      wrapCalls(box, async (call, signal, caller) => {
        const outcome = await box.runner.run(call, signal, caller);
        return shortened(outcome, () => !promisesOutput(box.descriptors(), call.name), caller);
      }),
    withReader: (box) => ({
      ...wrapCalls(box, async (call, signal, caller) => {
        const { runner } = call.name === READ_RESULT ? await readerFor(ownerOf(caller)) : box;
        return runner.run(call, signal, caller);
      }),
      descriptors: addedTo(box, reader),
    }),
    withResults: resultsBeside((id, caller) => store.find(ownerOf(caller), id)),
  };
}

type FindArtifact = (id: string, caller: Caller) => ReturnType<ArtifactStore["find"]>;

/** Only reading differs; the results are not listed. Resources that are the same object for several clients stay so. */
function resultsBeside(find: FindArtifact): Previews["withResults"] {
  const known = new WeakMap<ResourceProvider, ResourceProvider>();
  const besideOf = (provider: ResourceProvider): ResourceProvider => {
    const made = known.get(provider) ?? { ...provider, read: readBeside(provider, find) };
    known.set(provider, made);
    return made;
  };
  const withResults = (providers: HostProviders): HostProviders =>
    providers.resources ? { ...providers, resources: besideOf(providers.resources) } : providers;
  return (source) =>
    typeof source === "function" ? (client) => withResults(source(client)) : withResults(source);
}

function readBeside(provider: ResourceProvider, find: FindArtifact): ResourceProvider["read"] {
  return (uri, request) => {
    const id = artifactIdIn(uri);
    if (id === undefined) return provider.read(uri, request);
    const artifact = find(id, request.caller);
    return artifact && { contents: artifactContents(artifact) };
  };
}

/** Whether a tool promises a form of its results, which a preview would break. */
function promisesOutput(tools: readonly ToolDescriptor[], name: string): boolean {
  const tool = tools.find((each) => each.name === name);
  return tool?.outputSchema !== undefined || tool?.definition?.["outputSchema"] !== undefined;
}

/** The tools of a box and one more. The list stays the same object while that of the box does. */
function addedTo(box: ToolBox, tool: ToolDescriptor | undefined): ToolBox["descriptors"] {
  let seen: readonly ToolDescriptor[] | undefined;
  let listed: readonly ToolDescriptor[] = [];
  return () => {
    const own = box.descriptors();
    if (own !== seen) {
      seen = own;
      listed = Object.freeze([...own, ...(tool ? [tool] : [])]);
    }
    return listed;
  };
}
