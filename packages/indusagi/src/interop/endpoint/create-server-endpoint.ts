import type { ServerConfig } from "../contract/index.ts";
import type { EndpointOptions } from "./endpoint-options.ts";
import { type InjectedTransport, ServerEndpointImpl } from "./server-endpoint.ts";

/** An endpoint for a server. Nothing is started before `open`. A given transport is used instead of the configured one. */
export function createServerEndpoint(
  config: ServerConfig,
  transport?: InjectedTransport,
  options: EndpointOptions = {},
): ServerEndpointImpl {
  return new ServerEndpointImpl(config, transport, options);
}
