/** True in the long run (`npm run faults`), false in `npm test`. */
export const isFullSize: boolean = process.env["INDUS_FAULTS"] === "full";

/** The size of a case: `quick` for every commit, `full` for the long run. */
export function atSize<Value>(size: { readonly quick: Value; readonly full: Value }): Value {
  return isFullSize ? size.full : size.quick;
}
