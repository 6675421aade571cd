import {
  createProviderHost,
  createServerEndpoint,
  type EndpointOptions,
  type EraMemory,
  type HostProviders,
  linkedTransports,
  type ProtocolEra,
  type ProviderHost,
  type RunningProviderHost,
  type ServerEndpoint,
} from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";

/** Remembers each server as legacy. */
export const legacyOnly: EraMemory = { recall: () => "legacy", remember: () => {} };

export interface HostPair extends AsyncDisposable {
  readonly host: ProviderHost;
  readonly running: RunningProviderHost;
  readonly endpoint: ServerEndpoint;
}

export interface HostPairOptions extends EndpointOptions {
  readonly host?: ProviderHost;
  readonly providers?: HostProviders;
}

/** A host and an endpoint connected in this process. */
export async function hostPair(
  era: ProtocolEra,
  box: ToolBox,
  options: HostPairOptions = {},
): Promise<HostPair> {
  const { host = createProviderHost(box, undefined, options.providers), ...rest } = options;
  const [ours, theirs] = linkedTransports();
  const running = await host.connect(theirs);
  const endpoint = createServerEndpoint({ kind: "stdio", id: "host", command: "unused" }, ours, {
    ...(era === "legacy" ? { eras: legacyOnly } : {}),
    ...rest,
  });
  await endpoint.open();
  return {
    host,
    running,
    endpoint,
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      await running.cancel();
    },
  };
}
