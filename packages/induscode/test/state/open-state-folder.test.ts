import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect, vi } from "vitest";
import { openStateFolder, StateError, type StateFolder, stateRoot } from "../../src/state/index.ts";

const POSIX = ["linux", "darwin"] as const;

interface Machine {
  readonly project: string;
  readonly root: string;
  open(path?: string): Promise<StateFolder>;
}

/** A project, and an environment whose state folder is in the same temporary folder. */
async function machineIn(dir: TempDir): Promise<Machine> {
  const env = { XDG_STATE_HOME: dir.at("state") };
  const project = dir.at("project");
  await mkdir(project);
  const root = stateRoot({ env }) ?? "";
  return { project, root, open: (path = project) => openStateFolder(path, env) };
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

async function refusalOf(opening: Promise<unknown>): Promise<StateError> {
  const thrown: unknown = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(StateError);
  return thrown as StateError;
}

verifies("state:one-per-workspace", "each workspace has one folder, whatever path leads to it", async () => {
  await using dir = await tempDir();
  const { project, root, open } = await machineIn(dir);
  await symlink(project, dir.at("link"));
  await mkdir(dir.at("other", "project"), { recursive: true });
  const first = await open();
  expect(dirname(first.path)).toBe(root);
  expect(basename(first.path)).toMatch(/^project-[0-9a-f]{16}$/);
  expect(first.workspace).toBe(project);
  expect(await open(dir.at("link"))).toEqual(first);
  expect(await open(join(project, "..", "project"))).toEqual(first);
  expect((await open(dir.at("other", "project"))).path).not.toBe(first.path);
  expect(await readdir(root)).toHaveLength(2);
});

verifies(
  "state:one-per-workspace",
  "a file inside names the workspace, and the folder of another workspace is refused",
  async () => {
    await using dir = await tempDir();
    const { project, open } = await machineIn(dir);
    const { path } = await open();
    const record = join(path, "workspace.json");
    expect(JSON.parse(await readFile(record, "utf8"))).toEqual({ path: project });
    expect(await readdir(path)).toEqual(["workspace.json"]);
    await writeFile(record, '{ "path": "/somewhere/else" }');
    const refusal = await refusalOf(open());
    expect(refusal.kind).toBe("wrong_workspace");
    expect(refusal.message).toContain("/somewhere/else");
    await writeFile(record, '{ "pa');
    await open();
    expect(JSON.parse(await readFile(record, "utf8"))).toEqual({ path: project });
  },
);

verifies("state:one-per-workspace", "processes that open it at the same time agree", async () => {
  await using dir = await tempDir();
  const { open } = await machineIn(dir);
  const opened = await Promise.all(Array.from({ length: 20 }, () => open()));
  expect(new Set(opened.map(({ path }) => path)).size).toBe(1);
  expect(await readdir(opened[0]?.path ?? "")).toEqual(["workspace.json"]);
});

verifies(
  "state:private",
  "folders are created for their owner alone, and wider modes are tightened",
  async () => {
    await using dir = await tempDir();
    const { root, open } = await machineIn(dir);
    const { path } = await open();
    expect([await modeOf(dirname(root)), await modeOf(root), await modeOf(path)]).toEqual([
      "700",
      "700",
      "700",
    ]);
    expect(await modeOf(join(path, "workspace.json"))).toBe("600");
    await chmod(root, 0o755);
    await chmod(path, 0o777);
    await open();
    expect([await modeOf(root), await modeOf(path)]).toEqual(["700", "700"]);
  },
  { only: POSIX },
);

verifies(
  "state:refused",
  "a symbolic link or a file in the folder's place is refused and not changed",
  async () => {
    await using dir = await tempDir();
    const { root, open } = await machineIn(dir);
    await mkdir(dir.at("elsewhere"), { mode: 0o755 });
    await mkdir(dirname(root));
    await symlink(dir.at("elsewhere"), root);
    const refusal = await refusalOf(open());
    expect(refusal).toMatchObject({ kind: "not_a_folder" });
    expect(refusal.message).toBe(`state folder ${root} is a symbolic link; remove it`);
    expect(await modeOf(dir.at("elsewhere"))).toBe("755");
    expect(await readdir(dir.at("elsewhere"))).toEqual([]);
  },
  { only: POSIX },
);

verifies(
  "state:refused",
  "the same holds for the folder of one workspace",
  async () => {
    await using dir = await tempDir();
    const { root, project, open } = await machineIn(dir);
    const { path } = await open();
    await mkdir(dir.at("second"));
    const other = await open(dir.at("second"));
    for (const replace of [
      () => symlink(other.path, path),
      () => symlink(dir.at("nowhere"), path),
      () => writeFile(path, ""),
    ]) {
      await rm(path, { recursive: true });
      await replace();
      expect((await refusalOf(open(project))).kind).toBe("not_a_folder");
    }
    expect(await readdir(root)).toHaveLength(2);
  },
  { only: POSIX },
);

verifies(
  "state:refused",
  "a folder of another user is refused, with a remedy",
  async () => {
    await using dir = await tempDir();
    const { root, open } = await machineIn(dir);
    const { path } = await open();
    for (const folder of [path, root]) {
      using _owner = await ownedByAnother(folder);
      const refusal = await refusalOf(open());
      expect(refusal.kind).toBe("not_owned");
      expect(refusal.message).toMatch(
        /^state folder .* belongs to user \d+, not to user \d+; set XDG_STATE_HOME/,
      );
    }
  },
  { only: POSIX },
);

verifies(
  "state:refused",
  "a workspace that does not exist or is a file is refused, and nothing is created",
  async () => {
    await using dir = await tempDir();
    const { open } = await machineIn(dir);
    await writeFile(dir.at("file"), "");
    for (const path of [dir.at("absent"), dir.at("file")]) {
      const refusal = await refusalOf(open(path));
      expect(refusal.kind).toBe("no_workspace");
      expect(refusal.message).toContain(path);
    }
    expect(await readdir(dir.path)).toEqual(["file", "project"]);
  },
);

verifies("state:refused", "a folder that cannot be created is named, with a remedy", async () => {
  await using dir = await tempDir();
  await writeFile(dir.at("file"), "");
  const refusal = await refusalOf(openStateFolder(dir.path, { XDG_STATE_HOME: dir.at("file") }));
  expect(refusal.kind).toBe("unavailable");
  expect(refusal.message).toMatch(
    /^cannot create .*file.indusvx: .*; correct that, or set XDG_STATE_HOME to /,
  );
});

/** Root can give a folder away. Another user can only pretend to be a different user than the folder's owner. */
async function ownedByAnother(folder: string): Promise<Disposable> {
  const uid = process.getuid?.() ?? 0;
  if (uid === 0) {
    await chown(folder, 65_534, 65_534);
    return { [Symbol.dispose]: () => {} };
  }
  const spy = vi.spyOn(process, "getuid").mockReturnValue(uid + 1);
  return { [Symbol.dispose]: () => spy.mockRestore() };
}
