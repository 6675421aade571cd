import { mkdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { localShell } from "indusagi/capabilities";
import { openSandbox } from "../../../src/policy/sandbox/index.ts";

// Run by the test of the sandbox as a user without special rights: then bubblewrap needs a user namespace.
const cwd = process.argv[2] ?? "";
process.env["TMPDIR"] = dirname(cwd);
const sandbox = await openSandbox({ cwd, env: { PATH: process.env["PATH"], HOME: "/nonexistent" } });
if ("problem" in sandbox) throw new Error(sandbox.problem);
const { wrap } = sandbox;
const command =
  "touch made; mkdir -p /tmp/made/in; touch /tmp/made/in/file; chmod -R a-w /tmp/made; id -u; for try in 'touch .git/x' 'mkdir .vscode' 'unshare -Urm umount .git'; do $try 2>/dev/null && echo $try; done; true";
const { stdout, code } = await localShell().exec(command, { cwd, wrap });

// A folder that a command closed: the next one could open it again, and change what could not be found in it.
mkdirSync(join(cwd, "locked"), { mode: 0 });
const locked = await localShell()
  .exec("chmod 700 locked", { cwd, wrap })
  .then(
    () => "ran",
    (thrown: unknown) => String(thrown),
  );
rmdirSync(join(cwd, "locked"));
sandbox.close();

// A folder in which nothing can be made: of our own, where a command could change that, and of somebody else.
const looks: unknown[] = [];
for (const folder of ["closed", "foreign"].map((name) => join(dirname(cwd), name))) {
  const closed = await openSandbox({ cwd: folder, env: { PATH: process.env["PATH"], HOME: "/nonexistent" } });
  if ("problem" in closed) throw new Error(closed.problem);
  const look = async (access: "read" | "write") =>
    localShell()
      .exec("ls; mkdir .vscode", { cwd: folder, wrap: (launch) => closed.wrap(launch, access) })
      .then(
        (outcome) => outcome.stdout,
        () => "refused",
      );
  looks.push([closed.writeProblem !== undefined, await look("read"), await look("write")]);
  closed.close();
}
process.stdout.write(JSON.stringify({ stdout, code, locked, looks }));
