// Writes the JavaScript of both packages into their dist folders, beside the types that tsc wrote (docs/decisions/0007).
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inputDigest, noteBuilt } from "./bundle/built-from.mjs";
import { commandFiles } from "./bundle/command-files.mjs";
import { noticesText } from "./bundle/notices.mjs";
import { packageFiles } from "./bundle/package-files.mjs";
import { pageFiles } from "./bundle/page-files.mjs";
import { programFiles } from "./bundle/program-files.mjs";
import { writeChanged } from "./bundle/write-changed.mjs";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** Writes the files of a package and removes scripts that an earlier build left. */
async function bundlePackage(name) {
  const folder = join(packages, name);
  const dist = join(folder, "dist");
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const parts = await Promise.all([
    packageFiles(folder),
    programFiles(packages),
    ...(bin ? [commandFiles(packages), pageFiles()] : []),
  ]);
  const files = parts.flatMap((part) => part.files);
  for (const file of files) writeChanged(join(dist, file.name), file.text);
  const inputs = parts.flatMap((part) => part.inputs);
  writeChanged(join(dist, "third-party-notices.txt"), noticesText(inputs));
  const names = new Set(files.map((file) => join(file.name)));
  for (const file of readdirSync(dist, { recursive: true }))
    if ((/\.c?js(\.map)?$/.test(file) || /^console.assets./.test(file)) && !names.has(file))
      rmSync(join(dist, file));
}

const digest = inputDigest();
await Promise.all(["indusagi", "induscode"].map(bundlePackage));
noteBuilt(digest);
