import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HEAD = `This folder contains code of the packages below. Each is followed by its licence.
`;

/** The licences of all packages that the files are from. Throws if a package names none. */
export function noticesText(inputs) {
  const folders = new Set(inputs.map(packageFolder));
  const notices = [...folders].map(noticeOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    HEAD,
    ...notices.map(({ name, licence }) => `${name}\n${"-".repeat(name.length)}\n\n${licence}\n`),
  ].join("\n");
}

/** The folder of the package that a file belongs to: the last one below a `node_modules`. */
function packageFolder(file) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll("\\", "/"))[0];
}

/** Some packages have no licence file of their own; then the notice names the licence and the source. */
function noticeOf(folder) {
  const { name, version, license, repository } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  if (!license) throw new Error(`the package ${name} is bundled, but names no licence`);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  const licence = file
    ? readFileSync(join(folder, file), "utf8").trim()
    : `Licensed under ${license}. Source: ${repository?.url ?? repository ?? name}`;
  return { name: `${name} ${version} (${license})`, licence };
}
