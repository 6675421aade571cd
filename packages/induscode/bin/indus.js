#!/usr/bin/env node
// A committed file, so that npm can link it before anything is built. All it does is start the build's entry.
import { existsSync } from "node:fs";

const entry = new URL("../dist/bin/main.js", import.meta.url);
if (existsSync(entry)) await import(entry.href);
else {
  process.stderr.write("indus: not built yet; run `npm run build` in the project's folder\n");
  process.exitCode = 1;
}
