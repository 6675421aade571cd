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

/**
 * A copy without the members that are `undefined`, in the same order. For objects that are serialized, compared or given to
 * others: there a member that is `undefined` is not the same as one that is absent.
 */
export function definedMembers<Members extends object>(members: Members): DefinedMembers<Members> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as DefinedMembers<Members>;
}

type DefinedMembers<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
    Members[Name],
    undefined
  >;
};
