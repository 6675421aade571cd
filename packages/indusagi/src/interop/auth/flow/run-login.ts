import type { FetchLike } from "@modelcontextprotocol/client";
import { definedMembers } from "../../../core/internal.ts";
import type { AddressPolicy } from "../../network/index.ts";
import { AuthError } from "../auth-error.ts";
import type { LoginInteraction } from "../oauth-options.ts";
import type { AuthRequests } from "./auth-fetch.ts";
import type { FlowClient, FlowResult } from "./flow-client.ts";

export interface LoginRequest {
  readonly serverUrl: URL;
  /** Where the server says its metadata is. */
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

export interface LoginParts {
  readonly client: FlowClient;
  readonly requests: AuthRequests;
  readonly policy: AddressPolicy;
  readonly interaction?: LoginInteraction | undefined;
}

/** Gets tokens: discovery, registration, the login by the user if needed, and the token request. */
export async function runLogin(request: LoginRequest, parts: LoginParts): Promise<FlowResult> {
  const { client, requests, interaction } = parts;
  const { auth } = await import("@modelcontextprotocol/client");
  const { serverUrl, scope, resourceMetadataUrl } = request;
  const fetchFn: FetchLike = requests.fetch;
  const options = definedMembers({ serverUrl, fetchFn, scope, resourceMetadataUrl });
  const isDone =
    (await auth(client, options).catch((thrown: unknown) => {
      // After a refused address the SDK continues with a default and fails with an error about that.
      requests.requireSafe();
      throw hasIssuer(client) ? thrown : noIssuer(thrown);
    })) === "AUTHORIZED";
  requests.requireSafe();
  if (!isDone) {
    if (!interaction || !client.authorizationUrl)
      throw new AuthError("failed", "the authorization server requires a person to log in");
    await parts.policy.check(client.authorizationUrl);
    const answer = await interaction.authorize(client.authorizationUrl);
    const authorizationCode = await codeIn(answer, client);
    const iss = answer.get("iss") ?? undefined;
    await auth(client, definedMembers({ ...options, authorizationCode, iss }));
    requests.requireSafe();
  }
  if (!client.result) throw new AuthError("failed", "the login ended without a token");
  return client.result;
}

/** Whether the server named an authorization server, or is one itself. */
function hasIssuer(client: FlowClient): boolean {
  const { authorizationServerMetadata, resourceMetadata } = client.discoveryState() ?? {};
  return authorizationServerMetadata !== undefined || resourceMetadata !== undefined;
}

/** The SDK then tries the URLs of an old revision at the server itself, and that failure explains nothing. */
function noIssuer(thrown: unknown): unknown {
  const isRefusal = thrown instanceof AuthError && (thrown.kind === "failed" || thrown.kind === "refused");
  if (!isRefusal) return thrown;
  const message = `it names no authorization server; put a token into "headers" in its row`;
  return new AuthError("failed", message, { cause: thrown });
}

/**
 * The code in the answer of an authorization server. The answer must belong to this login (`state`) and come from the
 * expected authorization server (`iss`) before anything else in it is trusted.
 */
async function codeIn(answer: URLSearchParams, client: FlowClient): Promise<string> {
  if (answer.get("state") !== client.sentState)
    throw new AuthError("unsafe", "the answer does not belong to this login; start the login again");
  const { validateAuthorizationResponseIssuer } = await import("@modelcontextprotocol/client");
  const metadata = client.discoveryState()?.authorizationServerMetadata;
  validateAuthorizationResponseIssuer({
    iss: answer.get("iss") ?? undefined,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const error = answer.get("error");
  if (error !== null) {
    const description = answer.get("error_description");
    const why = description === null ? error : `${error}: ${description.slice(0, 300)}`;
    throw new AuthError("denied", `the authorization server did not grant access: ${why}`);
  }
  const code = answer.get("code");
  if (code === null) throw new AuthError("denied", "the answer of the authorization server has no code");
  return code;
}
