/**
 * The version of this package, as in its `package.json`. A constant, because code bundled into another program has no
 * manifest to read.
 */
export const PACKAGE_VERSION = "0.1.0";
