import { homeFolder, type TextReading } from "indusagi/config";
import type { Run } from "../../boot/internal.ts";
import { type InputStore, openInputStore, openStateRoot } from "../../state/index.ts";
import { CLIENTS, type ClientFile, type ClientId, type ClientWorld, readClient } from "../clients/index.ts";
import { editFile, type FileEdit, type FileEditOptions } from "./edit-file.ts";

/** What commands that change configuration need: our files and those of other clients. */
export interface Edits {
  /** The folder for the state of all workspaces. */
  readonly root: string;
  /** The answers to `${input:…}`. */
  readonly inputs: InputStore;
  /** Where the files of other clients are. */
  readonly world: ClientWorld;
  /** Reads the files of these clients. Default: of all. `readText` reads one file; by default up to the size that can be edited. */
  readClients(
    ids?: readonly ClientId[],
    readText?: (path: string) => TextReading,
  ): Promise<readonly ClientFile[]>;
  /** Changes a file in one step and keeps a copy of it. Rejects and changes nothing if that is not possible. */
  editFile(
    path: string,
    edit: (text: string | undefined) => string | Promise<string>,
    options?: FileEditOptions,
  ): Promise<FileEdit>;
}

/** Rejects if there is no private folder for the copies: nothing is changed without one. */
export async function openEdits({ cwd, env }: Pick<Run, "cwd" | "env">): Promise<Edits> {
  const root = await openStateRoot(env);
  const home = homeFolder({ env });
  // Without a home folder there may still be a root, from XDG_STATE_HOME.
  const world = { home: home ?? root, cwd, env, platform: process.platform };
  return {
    root,
    inputs: openInputStore(root),
    world,
    readClients: async (ids, readText) => {
      const chosen = CLIENTS.filter(({ id }) => ids === undefined || ids.includes(id));
      return (await Promise.all(chosen.map((client) => readClient(client, world, readText)))).flat();
    },
    editFile: (path, edit, options) => editFile(path, edit, { ...options, root }),
  };
}
