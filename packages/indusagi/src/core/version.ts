/**
 * The version of this package, as in its `package.json`. A constant and not read from there: code bundled into another
 * program has no manifest beside it.
 */
export const PACKAGE_VERSION = "0.1.0";
