import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { FRAMEWORK_NAMES } from "./pins/framework-names.ts";
import { PRODUCT_NAMES } from "./pins/product-names.ts";

const PINS = { ...FRAMEWORK_NAMES, ...PRODUCT_NAMES };

/** The source of a subpath, as the exports maps name it under the condition `@indus/source`. */
const pathOf = (subpath: string): string => {
  const [name = "", room = ""] = subpath.split("/");
  return `../packages/${name}/src/${room}/index.ts`;
};

for (const [subpath, names] of Object.entries(PINS)) {
  verifies("house:exports", `${subpath} exports exactly the pinned names`, async () => {
    const module = (await import(pathOf(subpath))) as object;
    expect(Object.keys(module).sort()).toEqual(names);
  });
}

verifies("house:exports", "every subpath of both packages is pinned", async () => {
  const subpaths = await Promise.all(
    ["indusagi", "induscode"].map(async (name) => {
      const manifest = (await import(`../packages/${name}/package.json`, { with: { type: "json" } })) as {
        readonly default: { readonly exports: object };
      };
      return Object.keys(manifest.default.exports).map((subpath) => subpath.replace(".", name));
    }),
  );
  expect(
    subpaths
      .flat()
      .filter((subpath) => !subpath.endsWith("package.json"))
      .toSorted(),
  ).toEqual(Object.keys(PINS).toSorted());
});
