import type { PromptProvider, ProviderRequest, RawResult } from "indusagi/interop";
import { acceptedFields, form } from "./questions.ts";
import { PNG } from "./samples.ts";

type Arguments = { readonly [argument: string]: string };

interface FixturePrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly { readonly name: string; readonly required: boolean }[];
  get(args: Arguments, request: ProviderRequest): Promise<RawResult> | RawResult;
}

/** The prompts of the conformance surface; one of them can come and go while clients watch. */
export interface FixturePrompts extends PromptProvider {
  toggle(): void;
}

const PROMPTS: readonly FixturePrompt[] = [
  {
    name: "test_simple_prompt",
    description: "A prompt without arguments",
    get: () => said(text("This is a simple prompt for testing.")),
  },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments",
    arguments: [
      { name: "arg1", required: true },
      { name: "arg2", required: true },
    ],
    get: ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt that carries a resource",
    arguments: [{ name: "resourceUri", required: true }],
    get: ({ resourceUri }) =>
      said(
        {
          type: "resource",
          resource: {
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        },
        text("Please process the embedded resource above."),
      ),
  },
  {
    name: "test_prompt_with_image",
    description: "A prompt that carries an image",
    get: () =>
      said({ type: "image", data: PNG, mimeType: "image/png" }, text("Please analyze the image above.")),
  },
  {
    name: "test_input_required_result_prompt",
    description: "A prompt that asks before it speaks",
    get: async (_args, { caller, signal }) => {
      const question = form("What context should the prompt use?", { context: { type: "string" } });
      const answers = await caller.ask?.({ user_context: question }, signal);
      const fields = acceptedFields(answers?.["user_context"]);
      return said(text(`Use this context: ${JSON.stringify(fields ?? {})}`));
    },
  },
];

const VISITOR: FixturePrompt = {
  name: "test_visiting_prompt",
  description: "A prompt that comes and goes",
  get: () => said(text("Here today.")),
};

export function createFixturePrompts(): FixturePrompts {
  const listeners = new Set<() => void>();
  let prompts = PROMPTS;
  return {
    list: () => ({ prompts: prompts.map(({ get: _get, ...listed }) => listed) }),
    get: (name, args, request) => prompts.find((each) => each.name === name)?.get(args, request),
    onListChanged: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    toggle: () => {
      prompts = prompts === PROMPTS ? [...PROMPTS, VISITOR] : PROMPTS;
      for (const listener of listeners) listener();
    },
  };
}

function said(...contents: readonly object[]): RawResult {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}

function text(words: string): object {
  return { type: "text", text: words };
}
