import type { HostProviders } from "indusagi/interop";

/**
 * Prompts and resources without any content. A client learns the capabilities of a gateway once, when it connects, so that
 * these must be advertised before the first server with prompts or resources is there.
 */
export const EMPTY_PROVIDERS: HostProviders = {
  prompts: { list: () => ({ prompts: [] }), get: () => undefined },
  resources: {
    list: () => ({ resources: [] }),
    templates: () => ({ resourceTemplates: [] }),
    read: () => undefined,
  },
};
