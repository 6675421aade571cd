import type { CompleteResult, GetPromptResult, ListPromptsResult } from "@modelcontextprotocol/server";
import type { CompletionRequest, HostProviders, PromptProvider } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { askProvider, cursorOf, hinted, validList } from "./provide-resources.ts";

/** Answers the `prompts/…` requests from a provider. */
export function providePrompts(connection: HostConnection, provider: PromptProvider): void {
  const { server } = connection;
  server.setRequestHandler("prompts/list", async ({ params }, ctx) => {
    const listed = await askProvider(connection, ctx, "prompts/list", (request) =>
      provider.list(cursorOf(params), request),
    );
    return hinted(connection, ctx, validList(connection, "prompts", listed)) as unknown as ListPromptsResult;
  });
  server.setRequestHandler("prompts/get", async ({ params }, ctx) => {
    const prompt = await askProvider(connection, ctx, `prompts/get ${params.name}`, async (request) => {
      const found = await provider.get(params.name, params.arguments ?? {}, request);
      if (!found) throw new RpcFailure(RpcCode.INVALID_PARAMS, `Unknown prompt: ${params.name}`);
      return found;
    });
    return prompt as unknown as GetPromptResult;
  });
}

/** Answers `completion/complete`. */
export function provideCompletion(
  connection: HostConnection,
  complete: NonNullable<HostProviders["complete"]>,
): void {
  connection.server.setRequestHandler("completion/complete", async ({ params }, ctx) => {
    const completed = await askProvider(connection, ctx, "completion/complete", (request) =>
      complete(params as CompletionRequest, request),
    );
    return completed as unknown as CompleteResult;
  });
}
