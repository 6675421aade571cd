import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { type ConfigRow, loadServerConfigs } from "indusagi/config";
import { expect } from "vitest";

const ids = ["a", "b", "c"];
const row = fc.record({ id: fc.constantFrom(...ids), isOn: fc.boolean() });
const file = fc.uniqueArray(row, { selector: ({ id }) => id });
const SCOPES = ["project", "user", "legacy", "explicit"] as const;

/** Loads files that exist only in memory, in the order of `SCOPES`. */
function load(
  files: readonly (readonly { readonly id: string; readonly isOn: boolean }[])[],
  options: { readonly isApproved: (row: ConfigRow) => boolean; readonly pendingFirst: boolean },
) {
  const text = (index: number): string =>
    JSON.stringify({
      servers: (files[index] ?? []).map(({ id, isOn }) => ({ name: id, command: `${index}`, enabled: isOn })),
    });
  const places = SCOPES.map((scope, index) => ({ scope, file: `/${index}` }));
  return loadServerConfigs({
    places,
    env: {},
    readText: (path) => ({ text: text(Number(path.slice(1))) }),
    ...options,
  }).servers;
}

verifies(
  "config:precedence",
  "for any files: the first free row of an id is used, and pending rows hide nothing",
  () => {
    const approved = fc.subarray(ids);
    fc.assert(
      fc.property(
        fc.array(file, { minLength: 4, maxLength: 4 }),
        approved,
        fc.boolean(),
        (files, chosen, pendingFirst) => {
          const isApproved = ({ config }: ConfigRow): boolean => chosen.includes(config.id);
          const loaded = load(files, { isApproved, pendingFirst });
          for (const id of ids) {
            const rows = loaded.filter(({ config }) => config.id === id);
            const naming = SCOPES.filter((_, index) => files[index]?.some((each) => each.id === id));
            const isPending = naming[0] === "project" && !chosen.includes(id);
            const isHiding = pendingFirst && files[0]?.some((each) => each.id === id && each.isOn);
            const used = isPending && !isHiding ? naming.slice(0, 2) : naming.slice(0, 1);
            expect(rows.map(({ source }) => source.scope)).toEqual(used);
            expect(rows.map(({ pending }) => pending)).toEqual(
              used.map((scope) => isPending && scope === "project"),
            );
            for (const { config, pending } of rows) expect(config.pending ?? false).toBe(pending);
          }
        },
      ),
    );
  },
);
