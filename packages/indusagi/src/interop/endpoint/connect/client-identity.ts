import { PACKAGE_VERSION } from "../../../core/internal.ts";

/** How we introduce ourselves to servers. */
export const CLIENT_NAME = "indus-protocol-bridge";
export const CLIENT_VERSION: string = PACKAGE_VERSION;

export const CLIENT_IDENTITY: { readonly name: string; readonly version: string } = {
  name: CLIENT_NAME,
  version: CLIENT_VERSION,
};
