/** How we introduce ourselves to servers. */
export const CLIENT_NAME = "indus-protocol-bridge";
export const CLIENT_VERSION = "0.1.0";

export const CLIENT_IDENTITY: { readonly name: string; readonly version: string } = {
  name: CLIENT_NAME,
  version: CLIENT_VERSION,
};
