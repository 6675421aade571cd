import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { FRAMEWORK_NAMES } from "../pins/framework-names.ts";
import { PRODUCT_NAMES } from "../pins/product-names.ts";
import { flattenTypes } from "./flatten-types.ts";

for (const subpath of Object.keys({ ...FRAMEWORK_NAMES, ...PRODUCT_NAMES })) {
  const [name = "", room = ""] = subpath.split("/");
  verifies("house:types", `the types of ${subpath} are the pinned ones`, async () => {
    const index = fileURLToPath(new URL(`../../packages/${name}/dist/${room}/index.d.ts`, import.meta.url));
    await expect(flattenTypes(index)).toMatchFileSnapshot(`../pins/types/${name}-${room}.txt`);
  });
}
