#!/usr/bin/env node
// Committed, so that npm can link it before a build. It only loads the built command. This folder is CommonJS, because
// Node takes a third of the start of `indus --help` to prepare for ES modules.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const command = join(__dirname, "../dist/command");
if (existsSync(join(command, "main.cjs"))) require("./code-cache.js")(command);
else {
  process.stderr.write("indus: not built yet; run `npm run build` in the project folder\n");
  process.exitCode = 1;
}
