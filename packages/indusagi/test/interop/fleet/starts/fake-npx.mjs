#!/usr/bin/env node
// Behaves like a launcher that installs a package before it runs it: it logs the begin and the end of the installation.
//   npx [-y] PACKAGE --log FILE --takes MS [arguments of the rough server]
// It has no imports, to start fast.

const { appendFileSync } = process.getBuiltinModule("node:fs");
const argv = process.argv.slice(2).filter((word) => word !== "-y");
const value = (flag) => argv[argv.indexOf(flag) + 1];

appendFileSync(value("--log"), `+${argv[0]}\n`);
setTimeout(
  () => {
    appendFileSync(value("--log"), `-${argv[0]}\n`);
    void import(new URL("rough-server.mjs", import.meta.url).href);
  },
  Number(value("--takes")),
);
