import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";

const folder = fileURLToPath(new URL("../../dist/console/", import.meta.url));

verifies(
  "page:bundle",
  "the page has hashed names, no inline script or style, and at most 150 KB with gzip",
  () => {
    const assets = readdirSync(`${folder}assets`);
    for (const name of assets) expect(name).toMatch(/^[\w-]+-[\w-]{8}\.(js|css)$/);
    const html = readFileSync(`${folder}index.html`, "utf8");
    expect(html).not.toMatch(/<style|style=|<script(?![^>]* src="\/console\/assets\/)|\son\w+=/);
    const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = ""]) => address);
    expect(addresses.length).toBe(3);
    for (const address of addresses) expect(address).toMatch(/^(\/console\/assets\/|data:image\/svg\+xml,)/);
    const files = ["index.html", ...assets.map((name) => `assets/${name}`)];
    const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(`${folder}${name}`)).length, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(150 * 1024);
  },
);
