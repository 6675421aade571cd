// Loads the parts of the command with what V8 made of them in an earlier run. To compile them takes up to half of the
// processor time of a short command (docs/decisions/0036).
const fs = require("node:fs");
const Module = require("node:module");
const { isAbsolute, join } = require("node:path");
const vm = require("node:vm");
const { crc32 } = require("node:zlib");

/** The name of such a part contains a hash of its text. V8 itself compares only the length of a text. */
const HASHED = /\.[\w-]{8}\.cjs$/;
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
/** The checksum, and nothing: V8 copies code that does not start at a multiple of eight bytes. */
const HEAD_BYTES = 8;

/** Loads the command in a folder. */
module.exports = function loadCommand(folder) {
  const entry = join(folder, "main.cjs");
  const cache = process.env.NODE_DISABLE_COMPILE_CACHE ? undefined : cacheFolder();
  if (cache === undefined) require(entry);
  else if (Module.enableCompileCache) {
    // Node has it from version 22 on.
    Module.enableCompileCache(cache);
    require(entry);
  } else loadParts(folder, join(cache, `${process.version}-${process.arch}`));
};

/** A folder that only this user can change, because what is in it runs. Undefined if there is none. */
function cacheFolder() {
  try {
    const folder = join(cacheRoot(), "code");
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.statSync(folder);
    // Windows has no owners and modes of this kind; there the profile folder is private.
    return !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The same folder as `cacheRoot` in `src/state`, which is not loaded yet. Throws if there is no home folder. */
function cacheRoot() {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local, HOME: home } = process.env;
  if (xdg && isAbsolute(xdg)) return join(xdg, "indusvx");
  if (process.platform === "win32") return join(local, "indusvx", "Cache");
  return join(home, ".cache", "indusvx");
}

/** Does what `require` does for the parts of the command, with their compiled form in the folder `cache`. */
function loadParts(folder, cache) {
  const outside = Module.createRequire(join(folder, "main.cjs"));
  const loaded = new Map();
  /** The parts that are not in the cache. */
  const compiled = new Map();
  const requirePart = (id) => (id.startsWith("./") ? load(id.slice(2)) : outside(id));
  const load = (name) => {
    const known = loaded.get(name);
    if (known) return known.exports;
    const part = { exports: {} };
    loaded.set(name, part);
    try {
      const filename = join(folder, name);
      const script = compile(filename, HASHED.test(name) ? join(cache, `${name}.bin`) : undefined, compiled);
      script.runInThisContext().call(part.exports, part.exports, requirePart, part, filename, folder);
    } catch (thrown) {
      loaded.delete(name);
      throw thrown;
    }
    return part.exports;
  };
  process.once("exit", () => keep(compiled, cache));
  load("main.cjs");
}

function compile(filename, file, compiled) {
  const text = Module.wrap(fs.readFileSync(filename, "utf8"));
  const cachedData = file && readCode(file);
  const script = new vm.Script(text, { filename, cachedData });
  if (file && (!cachedData || script.cachedDataRejected)) compiled.set(file, script);
  return script;
}

/** The code in a file. V8 does not survive damaged code, so it has a checksum. */
function readCode(file) {
  try {
    const bytes = fs.readFileSync(file);
    const code = bytes.subarray(HEAD_BYTES);
    return bytes.length > HEAD_BYTES && bytes.readUInt32LE(0) === crc32(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Only time is lost if it fails. Each file is replaced as a whole: other processes may read or write it meanwhile. */
function keep(compiled, cache) {
  if (compiled.size === 0) return;
  try {
    fs.mkdirSync(cache, { recursive: true, mode: 0o700 });
    for (const [file, script] of compiled) {
      const code = script.createCachedData();
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32LE(crc32(code));
      const temporary = `${file}.${process.pid}`;
      fs.writeFileSync(temporary, Buffer.concat([head, code]), { mode: 0o600 });
      fs.renameSync(temporary, file);
    }
    removeOld(cache);
  } catch {
    // The next run compiles again.
  }
}

/** Removes what other versions left. A part that is still used is compiled again once. */
function removeOld(cache) {
  const oldest = Date.now() - MAX_AGE_MS;
  for (const name of fs.readdirSync(cache))
    if (fs.statSync(join(cache, name)).mtimeMs < oldest) fs.rmSync(join(cache, name));
}
