/** How we introduce ourselves to servers. */
export const CLIENT_NAME = "indus-protocol-bridge";
export const CLIENT_VERSION = "0.1.0";
