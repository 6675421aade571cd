import { homedir } from "node:os";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { cacheRoot, stateRoot, workspaceFolderName } from "../../src/state/index.ts";

verifies(
  "state:place",
  "XDG_STATE_HOME decides, then the home folder; empty and relative values are ignored",
  () => {
    const home = { HOME: "/home/ada" };
    const at = (env: { readonly [name: string]: string }): string | undefined =>
      stateRoot({ env, platform: "linux" });
    expect(at({ ...home, XDG_STATE_HOME: "/var/state" })).toBe("/var/state/indusvx");
    for (const XDG_STATE_HOME of ["", "state", "./state", "~/state"])
      expect(at({ ...home, XDG_STATE_HOME })).toBe("/home/ada/.local/state/indusvx");
    expect(at(home)).toBe("/home/ada/.local/state/indusvx");
    expect(at({ HOME: "" })).toBe(`${homedir()}/.local/state/indusvx`);
    expect(stateRoot({ env: home, platform: "darwin" })).toBe("/home/ada/.local/state/indusvx");
    const cacheAt = (env: { readonly [name: string]: string }): string | undefined =>
      cacheRoot({ env: { ...home, ...env }, platform: "linux" });
    expect(cacheAt({ XDG_CACHE_HOME: "/var/cache", XDG_STATE_HOME: "/no" })).toBe("/var/cache/indusvx");
    expect(cacheAt({ XDG_CACHE_HOME: "cache" })).toBe("/home/ada/.cache/indusvx");
  },
);

verifies("state:place", "on Windows the state is in the local profile", () => {
  const at = (env: { readonly [name: string]: string }): string | undefined =>
    stateRoot({ env, platform: "win32" });
  const USERPROFILE = "C:\\Users\\ada";
  expect(at({ USERPROFILE, LOCALAPPDATA: "D:\\Local" })).toBe("D:\\Local\\indusvx\\State");
  expect(at({ USERPROFILE })).toBe("C:\\Users\\ada\\AppData\\Local\\indusvx\\State");
  expect(at({ USERPROFILE, XDG_STATE_HOME: "D:\\State" })).toBe("D:\\State\\indusvx");
  const cache = cacheRoot({ env: { USERPROFILE, LOCALAPPDATA: "D:\\Local" }, platform: "win32" });
  expect(cache).toBe("D:\\Local\\indusvx\\Cache");
});

verifies("state:place", "the environment is read at each call", () => {
  const before = process.env["XDG_STATE_HOME"];
  try {
    for (const folder of ["/one", "/two"]) {
      process.env["XDG_STATE_HOME"] = folder;
      expect(stateRoot({ platform: "linux" })).toBe(`${folder}/indusvx`);
    }
  } finally {
    if (before === undefined) delete process.env["XDG_STATE_HOME"];
    else process.env["XDG_STATE_HOME"] = before;
  }
});

verifies("state:workspace-name", "a folder is named by a readable slug and a hash of the path", () => {
  expect(workspaceFolderName("/home/ada/My Project (2)")).toMatch(/^my-project-2-[0-9a-f]{16}$/);
  expect(workspaceFolderName("/a/project")).not.toBe(workspaceFolderName("/b/project"));
  expect(workspaceFolderName("/a/Project")).not.toBe(workspaceFolderName("/a/project"));
  expect(workspaceFolderName("/")).toMatch(/^workspace-[0-9a-f]{16}$/);
  expect(workspaceFolderName("/ключ")).toMatch(/^workspace-[0-9a-f]{16}$/);
});

verifies("state:workspace-name", "any path gives a short name that is one safe path segment", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (path) => {
      expect(workspaceFolderName(`/${path}`)).toMatch(/^[a-z0-9][a-z0-9-]{0,40}-[0-9a-f]{16}$/);
    }),
  );
});
