import { PACKAGE_VERSION } from "../../../core/internal.ts";
import type { CallerAbilities } from "../../../runtime/index.ts";

/** The name and version we send to servers. */
export const CLIENT_NAME = "indus-protocol-bridge";
export const CLIENT_VERSION: string = PACKAGE_VERSION;

export const CLIENT_IDENTITY: { readonly name: string; readonly version: string } = {
  name: CLIENT_NAME,
  version: CLIENT_VERSION,
};

/** A caller's abilities as MCP client capabilities. `announcesRoots`: the server is notified when the roots change. */
export function clientCapabilities(
  can: CallerAbilities,
  announcesRoots = false,
): { readonly [capability: string]: object } {
  const { elicit, sample, roots, extensions } = can;
  return {
    ...(elicit
      ? { elicitation: { ...(elicit.form ? { form: {} } : {}), ...(elicit.url ? { url: {} } : {}) } }
      : {}),
    ...(sample
      ? { sampling: { ...(sample.tools ? { tools: {} } : {}), ...(sample.context ? { context: {} } : {}) } }
      : {}),
    ...(roots ? { roots: announcesRoots ? { listChanged: true } : {} } : {}),
    ...(extensions ? { extensions } : {}),
  };
}
