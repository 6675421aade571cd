// Builds unless nothing changed since the last build: `npm start` is then as fast as the command itself.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isBuilt } from "./bundle/built-from.mjs";

if (!isBuilt()) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, "-b"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  execFileSync(process.execPath, [`${root}/scripts/bundle.mjs`], { cwd: root, stdio: ["ignore", 2, 2] });
}
