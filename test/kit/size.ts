/** Whether this is the long run (`npm run faults`) or the everyday one (`npm test`). */
export const isFullSize: boolean = process.env["INDUS_FAULTS"] === "full";

/** The same case in two sizes: small enough for every commit, large enough to be believed. */
export function atSize<Value>(size: { readonly quick: Value; readonly full: Value }): Value {
  return isFullSize ? size.full : size.quick;
}
