/**
 * The defaults, overridden by the members of `given` that are not undefined. Spreading `given` over the defaults would let an
 * explicit `undefined` replace a limit with no limit.
 */
export function withDefaults<Options extends object>(
  defaults: Options,
  given: { readonly [Name in keyof Options]?: Options[Name] | undefined } | undefined,
): Options {
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}
