import type { InjectedTransport } from "../endpoint/index.ts";

/** A transport that cannot be had, so that whoever was to give it fails like any other server and hurts nobody else. */
export function brokenTransport(thrown: unknown): InjectedTransport {
  const refuse = async (): Promise<never> => {
    throw thrown;
  };
  return { start: refuse, send: refuse, close: async () => {} };
}
