import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { safeEnvironment } from "indusagi/core";
import { expect } from "vitest";

/** Pinned: adding a name to the list is a decision, so it must be added here too. */
const PINNED = [
  "HOME LOGNAME PATH SHELL TERM USER LANG LANGUAGE TZ TMPDIR TEMP TMP",
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR",
  "SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)",
  "PROGRAMW6432 COMMONPROGRAMFILES ALLUSERSPROFILE PUBLIC USERNAME USERPROFILE HOMEDRIVE HOMEPATH COMPUTERNAME OS",
  "NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE",
].flatMap((line) => line.split(" "));

const SECRETS =
  "NODE_OPTIONS LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV GITHUB_TOKEN NPM_TOKEN OPENAI_API_KEY AWS_SECRET_ACCESS_KEY AWS_PROFILE SSH_AUTH_SOCK DATABASE_URL LC_TOKEN XDG_API_KEY PASSWORD INDUS_TREE HOME_TOKEN PYTHONPATH";

verifies("env:allow-list", "exactly the pinned names pass, in either case", () => {
  const every = [...PINNED, ...SECRETS.split(" "), "LC_ALL", "XDG_CACHE_HOME"];
  const source = Object.fromEntries(every.map((name) => [name, "x"]));
  expect(Object.keys(safeEnvironment({}, source)).sort()).toEqual(
    [...PINNED, "LC_ALL", "XDG_CACHE_HOME"].sort(),
  );
  const lower = Object.fromEntries(["http_proxy", "no_proxy", "github_token"].map((name) => [name, "x"]));
  expect(Object.keys(safeEnvironment({}, lower))).toEqual(["http_proxy", "no_proxy"]);
});

verifies(
  "env:allow-list",
  "extra names are added, override and remove; exported shell functions do not pass",
  () => {
    const source = { PATH: "/bin", HOME: "/home/me", TERM: "() { :; }; echo gotcha" };
    expect(safeEnvironment({ GITHUB_TOKEN: "asked for", HOME: undefined, PATH: "/usr/bin" }, source)).toEqual(
      {
        GITHUB_TOKEN: "asked for",
        PATH: "/usr/bin",
      },
    );
  },
);

verifies("env:allow-list", "every name in the result is on the list or was asked for", () => {
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom(...PINNED, ...SECRETS.split(" "), "__proto__", "LC_X", "xdg_y"),
  );
  const environments = fc.dictionary(names, fc.option(fc.string(), { nil: undefined }));
  fc.assert(
    fc.property(environments, environments, (extra, source) => {
      const safe = safeEnvironment(extra, source);
      for (const [name, value] of Object.entries(safe)) {
        if (Object.hasOwn(extra, name)) expect(value).toBe(extra[name]);
        else {
          expect(PINNED.includes(name.toUpperCase()) || /^(LC|XDG)_/i.test(name)).toBe(true);
          expect(value).toBe(source[name]);
        }
      }
      expect(Object.getPrototypeOf(safe)).toBe(Object.prototype);
    }),
  );
});
