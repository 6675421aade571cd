import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Manifest {
  readonly dependencies?: { readonly [name: string]: string };
  readonly devDependencies?: { readonly [name: string]: string };
  readonly optionalDependencies?: { readonly [name: string]: string };
  readonly engines?: { readonly node?: string };
}

const readJson = (path: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8"));

const lock = (readJson("package-lock.json") as { packages: { [path: string]: Manifest } }).packages;
const manifests = ["package.json", "packages/indusagi/package.json", "packages/induscode/package.json"];

test("the lockfile has an entry for every optional dependency it names, so that every platform installs", () => {
  const gaps = Object.entries(lock).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !lock[`${path}/node_modules/${name}`] && !lock[`node_modules/${name}`])
      .map((name) => `${path} -> ${name}`),
  );
  expect(Object.keys(lock).length).toBeGreaterThan(100);
  expect(gaps).toEqual([]);
});

test("direct dependencies are pinned exactly", () => {
  for (const path of manifests) {
    const manifest = readJson(path) as Manifest;
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    for (const [name, version] of Object.entries(all))
      expect(version, `${path}: ${name}`).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  }
});

test("every manifest supports Node 20.19 and later", () => {
  for (const path of manifests) expect((readJson(path) as Manifest).engines?.node, path).toBe(">=20.19");
});

test("the lockfile contains no registry host", () => {
  const text = readFileSync(fileURLToPath(new URL("../package-lock.json", import.meta.url)), "utf8");
  expect(text).not.toMatch(/"resolved": "https?:/);
});

test("each package that is published has the licence and a page of its own", () => {
  const read = (path: string): string =>
    readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");
  for (const name of ["indusagi", "induscode"]) {
    expect(read(`packages/${name}/LICENSE`)).toBe(read("LICENSE"));
    const page = read(`packages/${name}/README.md`);
    const named = [...page.matchAll(/`(indus(?:agi|code)\/\w+)`/g)].map(([, subpath = ""]) => subpath);
    const { exports } = readJson(`packages/${name}/package.json`) as { readonly exports: object };
    expect(named.length).toBeGreaterThan(3);
    for (const subpath of named) expect(Object.keys(exports)).toContain(subpath.replace(name, "."));
  }
});
