import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { seatbeltProfile } from "../../../src/policy/sandbox/seatbelt-profile.ts";

verifies("sandbox:isolation", "the profile for macOS denies by default, and its denials come last", () => {
  const plan = {
    access: "write",
    workspace: '/Users/ada/a "b" (c)',
    scratch: "/private/var/t",
    readOnly: ["/Users/ada/x/.env"],
    hidden: [{ path: "/Users/ada/.ssh", isFolder: true }],
    replaced: [],
  } as const;
  const profile = seatbeltProfile(plan, [".git", ".mcp.json"]);
  const lines = profile.split("\n");
  expect(lines[1]).toBe("(deny default)");
  expect(profile).not.toMatch(/allow network|allow mach-lookup\)|allow default/);
  expect(lines.slice(-4)).toEqual([
    String.raw`(allow file-write* (subpath "/Users/ada/a \"b\" (c)") (subpath "/private/var/t"))`,
    String.raw`(deny file-write* (regex "^/Users/ada/a \"b\" \\(c\\)/(.*/)?\\.git(/.*)?$") (regex "^/Users/ada/a \"b\" \\(c\\)/(.*/)?\\.mcp\\.json(/.*)?$"))`,
    '(deny file-write* (subpath "/Users/ada/x/.env"))',
    '(deny file-read* file-write* (subpath "/Users/ada/.ssh"))',
  ]);
  // In plan mode only temporary files can be written.
  for (const access of ["read", "read-anywhere"] as const)
    expect(seatbeltProfile({ ...plan, access }, [])).toContain(
      '(allow file-write* (subpath "/private/var/t"))',
    );
});
