import type {
  CompletionRequest,
  ForwardedRequest,
  PromptRequest,
  RawResult,
  Relay,
  RelayOptions,
} from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { layerBox, type ToolBox, type ToolRunner } from "indusagi/runtime";

/** Runs a call. Use `find` after it: a tool whose server was starting is known only then. */
type AroundCall = (
  run: ToolRunner["run"],
  find: (name: string) => ToolDescriptor | undefined,
) => ToolRunner["run"];

/** A layer around the calls of all tools, including those that a layer below waits for. */
export function aroundCalls(box: ToolBox, around: AroundCall): ToolBox {
  return layerBox(box, {
    call: ({ descriptor, run }) => around(run, () => descriptor),
    missing: (next) => around(next, (name) => box.descriptors().find((tool) => tool.name === name)),
  });
}

/** A request to one server for something besides its tools. */
export type RelayRequest = { readonly server: string; readonly options: RelayOptions } & (
  | { readonly method: "resources/read"; readonly uri: string }
  | { readonly method: "prompts/get"; readonly prompt: PromptRequest }
  | { readonly method: "completion/complete"; readonly completion: CompletionRequest }
  | { readonly method: "skills/get" | "resources/directory/read"; readonly uri: string }
  | { readonly method: "extension"; readonly request: ForwardedRequest }
);

/** Sends the relay's requests through `around`. Lists are not affected. */
export function wrapRequests(
  relay: Relay,
  around: (request: RelayRequest, send: () => Promise<RawResult>) => Promise<RawResult>,
): Relay {
  return {
    ...relay,
    readResource: (server, uri, options = {}) =>
      around({ method: "resources/read", server, uri, options }, () =>
        relay.readResource(server, uri, options),
      ),
    getPrompt: (server, prompt, options = {}) =>
      around({ method: "prompts/get", server, prompt, options }, () =>
        relay.getPrompt(server, prompt, options),
      ),
    complete: (server, completion, options = {}) =>
      around({ method: "completion/complete", server, completion, options }, () =>
        relay.complete(server, completion, options),
      ),
    forward: (server, request, options = {}) =>
      around({ method: "extension", server, request, options }, () =>
        relay.forward(server, request, options),
      ),
    skills: (server, request, options = {}) => {
      const send = (): Promise<RawResult> => relay.skills(server, request, options);
      if (request.method === "skills/list") return send();
      const { method, uri } = request;
      return around({ method, server, uri, options }, send);
    },
  };
}
