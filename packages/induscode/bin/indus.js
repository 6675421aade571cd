#!/usr/bin/env node
// Committed, so that npm can link it before a build. It only loads the built command. This folder is CommonJS, because
// Node takes a third of the start of `indus --help` to prepare for ES modules.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const command = join(__dirname, "../dist/command");
// Node has it from 20.16 on; without it much fails, one thing at a time.
if (!process.getBuiltinModule) fail(`needs Node 20.19 or later; this is Node ${process.versions.node}`);
else if (!existsSync(join(command, "main.cjs")))
  fail("not built yet; run `npm run build` in the project folder");
else require("./code-cache.js")(command, mayBeThin() ? "shim.cjs" : "main.cjs", isBackgroundGateway());

/** Such a process may only have to pass on what its client and the background gateway say: see `src/background/shim`. */
function mayBeThin() {
  const [, , name, ...words] = process.argv;
  return name === "serve" ? words.includes("--stdio") : name === "mcp" && words[0] === "call";
}

/** It runs for days, also after an upgrade has replaced this program's files. */
function isBackgroundGateway() {
  const [, , name, ...words] = process.argv;
  return name === "up" && words.includes("--foreground");
}

function fail(reason) {
  process.stderr.write(`indus: ${reason}\n`);
  process.exitCode = 1;
}
