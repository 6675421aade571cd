// Loads the parts of the command with what V8 made of them in an earlier run. To compile them takes up to half of the
// processor time of a short command (docs/decisions/0036).
const fs = require("node:fs");
const Module = require("node:module");
const { dirname, isAbsolute, join } = require("node:path");
const vm = require("node:vm");

/** The name of such a part contains a hash of its text. V8 itself compares only the length of a text. */
const HASHED = /\.[\w-]{8}\.cjs$/;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_AGE_MS = 30 * DAY_MS;

/** Loads the command in a folder, or another entry of it. `keepsFiles`: it finds its parts also after others have replaced them. */
module.exports = function loadCommand(folder, name = "main.cjs", keepsFiles = false) {
  const entry = join(folder, name);
  const cache = process.env.NODE_DISABLE_COMPILE_CACHE ? undefined : cacheFolder();
  if (cache) process.once("exit", () => removeOldDaily(cache));
  const compiled = cache && join(cache, `${process.version}-${process.arch}`);
  if (keepsFiles) loadParts(folder, name, compiled, openParts(folder));
  else if (!cache) require(entry);
  else if (Module.enableCompileCache) {
    // Node has it from version 22 on.
    Module.enableCompileCache(cache);
    require(entry);
  } else loadParts(folder, name, compiled);
};

/** Open files of the parts, by path: what is open can still be read when it has been replaced. Windows replaces no open files. */
function openParts(folder) {
  if (process.platform === "win32") return new Map();
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".cjs"));
  return new Map(names.map((name) => [join(folder, name), fs.openSync(join(folder, name))]));
}

/** A folder that only this user can change, because what is in it runs. Undefined if there is none. */
function cacheFolder() {
  try {
    const folder = join(cacheRoot(), "code");
    // Before it is made, too: root leaves nothing in the home folder of a user.
    if (!isOnlyOurs(folder)) return undefined;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const real = fs.realpathSync(folder);
    return isOnlyOurs(real) && isPrivate(real) ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The same folder as `cacheRoot` in `src/state`, which is not loaded yet. Throws if there is no home folder. */
function cacheRoot() {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local, HOME: home } = process.env;
  if (xdg && isAbsolute(xdg)) return join(xdg, "indusvx");
  const isWindows = process.platform === "win32";
  // A relative folder would be in the current one, which may be full of files of others.
  if (!isAbsolute(isWindows ? local : home)) throw new Error("no home folder");
  return isWindows ? join(local, "indusvx", "Cache") : join(home, ".cache", "indusvx");
}

/** Windows has no owners and modes of this kind; there the profile folder is private. */
const uid = process.getuid?.();

/** Whether only this user and root can change what a path leads to. What does not exist yet is left out. */
function isOnlyOurs(path) {
  if (uid === undefined) return true;
  for (let at = path, below; at !== below; below = at, at = dirname(at)) {
    const found = fs.lstatSync(at, { throwIfNoEntry: false });
    if (!found) continue;
    const folder = found.isSymbolicLink() ? fs.statSync(at) : found;
    if ([found, folder].some((it) => it.uid !== uid && it.uid !== 0)) return false;
    // Many systems give each user a group with the same number, whose only member is this user.
    const isShared = (folder.mode & 0o002) !== 0 || ((folder.mode & 0o020) !== 0 && folder.gid !== uid);
    // With this bit, as in /tmp, only the owner of a folder can replace it.
    if (isShared && (folder.mode & 0o1000) === 0) return false;
  }
  return true;
}

/** Whether a folder is as `cacheFolder` makes it. One that came with the files of a project is not. */
function isPrivate(folder) {
  const found = fs.statSync(folder);
  return uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0);
}

/** Does what `require` does for the parts of the command, with their compiled form in the folder `cache`, if there is one. */
function loadParts(folder, entry, cache, opened) {
  const outside = Module.createRequire(join(folder, entry));
  const loaded = new Map();
  /** The parts that are not in the cache. */
  const compiled = new Map();
  const requirePart = (id) => (id.startsWith("./") ? load(id.slice(2)) : outside(id));
  // For addons: `import` does not work in code from a cache.
  requirePart.importFile = (url) => import(url);
  const load = (name) => {
    const known = loaded.get(name);
    if (known) return known.exports;
    const part = { exports: {} };
    loaded.set(name, part);
    try {
      const filename = join(folder, name);
      const text = Module.wrap(fs.readFileSync(opened?.get(filename) ?? filename, "utf8"));
      const file = cache && HASHED.test(name) ? join(cache, `${name}.bin`) : undefined;
      const script = compile({ text, filename, file }, compiled);
      script.runInThisContext().call(part.exports, part.exports, requirePart, part, filename, folder);
    } catch (thrown) {
      loaded.delete(name);
      throw thrown;
    }
    return part.exports;
  };
  process.once("exit", () => keep(compiled, cache));
  load(entry);
}

function compile({ text, filename, file }, compiled) {
  const cachedData = file && readCode(file);
  const script = new vm.Script(text, { filename, cachedData });
  if (file && (!cachedData || script.cachedDataRejected)) compiled.set(file, script);
  return script;
}

/**
 * The code in a file. V8 does not survive damaged code, so it is there twice: comparing costs less than loading Node's checksums.
 */
function readCode(file) {
  try {
    const bytes = fs.readFileSync(file);
    const code = bytes.subarray(0, bytes.length / 2);
    return code.length > 0 && code.equals(bytes.subarray(code.length)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Only time is lost if it fails. */
function keep(compiled, cache) {
  if (compiled.size === 0) return;
  try {
    fs.mkdirSync(cache, { recursive: true, mode: 0o700 });
    for (const [file, script] of compiled) keepCode(file, script.createCachedData());
    removeOld(dirname(cache));
  } catch {
    // The next run compiles again.
  }
}

/** The file is replaced as a whole: other processes may read or write it meanwhile. */
function keepCode(file, code) {
  const temporary = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, Buffer.concat([code, code]), { mode: 0o600 });
    fs.renameSync(temporary, file);
  } catch (thrown) {
    // The disk may be full.
    fs.rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** Node itself removes nothing. The time of the folder shows when this was done last. */
function removeOldDaily(cache) {
  try {
    if (Date.now() - fs.statSync(cache).mtimeMs < DAY_MS) return;
    fs.utimesSync(cache, new Date(), new Date());
    removeOld(cache);
  } catch {
    // The next day is soon enough.
  }
}

/** Removes what other versions of this program and of Node left. A part that is still used is compiled again once. */
function removeOld(cache) {
  const oldest = Date.now() - MAX_AGE_MS;
  const isOld = (path) => fs.statSync(path).mtimeMs < oldest;
  const entries = fs.readdirSync(cache, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const version of entries.map(({ name }) => join(cache, name))) {
    const files = fs.readdirSync(version).map((name) => join(version, name));
    if (files.length === 0 && isOld(version)) fs.rmdirSync(version);
    for (const file of files) if (isOld(file)) fs.rmSync(file);
  }
}
