import { type HttpListener, type ProviderHost, serveStdio } from "indusagi/interop";
import { firstOf } from "../first-of.ts";
import type { GatewayRun } from "./gateway-options.ts";

export async function serveOverHttp(
  run: GatewayRun,
  open: () => Promise<HttpListener>,
  { start, onListening }: { readonly start: () => void; readonly onListening: (url: string) => void },
): Promise<void> {
  const listener = await open();
  run.defer(() => listener.close());
  onListening(listener.url);
  start();
  await firstOf([], { signal: run.signal });
}

export async function serveOverStdio(run: GatewayRun, host: ProviderHost, start: () => void): Promise<void> {
  const running = await serveStdio(host);
  run.defer(() => running.cancel());
  start();
  await firstOf([running.waiting()], { signal: run.signal });
}
