#!/usr/bin/env node
// Committed, so that npm can link it before a build. It only loads the built entry.
import { existsSync } from "node:fs";

const entry = new URL("../dist/bin/main.js", import.meta.url);
if (existsSync(entry)) await import(entry.href);
else {
  process.stderr.write("indus: not built yet; run `npm run build` in the project folder\n");
  process.exitCode = 1;
}
