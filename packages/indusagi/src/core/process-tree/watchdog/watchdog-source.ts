/**
 * The watchdog's program. It is a string of plain JavaScript, because it must run from source, from a build and from a
 * bundle, and must start fast. So it cannot import, and repeats the parsing of `proc-process-table.ts` and
 * `ps-process-table.ts` and the rules of `find-members.ts`.
 *
 * It reads one order per argument, then one per line of its input. When the input ends, it ends the trees it knows:
 *
 * - `own COOKIE`: a tree to end;
 * - `root COOKIE PID START`: the process that leads the tree's group;
 * - `seen COOKIE PID:START …`: members seen alive, replacing the earlier list;
 * - `will COOKIE SOURCE`: a program in base64url to run when no tree has a process left;
 * - `done COOKIE`: the tree has no processes left, or the program is not to run.
 *
 * It ignores signals: it ends with its owner.
 */
export const WATCHDOG_SOURCE: string = String.raw`
"use strict";
const fs = require("node:fs");
process.title = "indus-watchdog";
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]) {
  try { process.on(signal, () => {}); } catch {}
}

const trees = new Map();
const wills = new Map();
const blank = () => ({ pid: 0, start: 0, seen: new Map() });
const orders = {
  own: (cookie) => trees.has(cookie) || trees.set(cookie, blank()),
  root: (cookie, pid, start) => Object.assign(trees.get(cookie) ?? blank(), { pid: Number(pid), start: Number(start) }),
  seen: (cookie, ...members) => {
    const tree = trees.get(cookie);
    if (tree) tree.seen = new Map(members.map((member) => member.split(":").map(Number)));
  },
  will: (cookie, source) => wills.set(cookie, source),
  done: (cookie) => {
    trees.delete(cookie);
    wills.delete(cookie);
  },
};

function obey(line) {
  const [order, ...words] = line.split(" ");
  orders[order]?.(...words);
}

process.argv.slice(1).forEach(obey);
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("error", endAll);
process.stdin.on("end", endAll);
process.stdin.on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  lines.forEach(obey);
});

let ending = false;
async function endAll() {
  if (ending) return;
  ending = true;
  const deadline = Date.now() + 10000;
  let quiet = 0;
  while (trees.size > 0 && quiet < 2 && Date.now() < deadline) {
    const table = rows();
    const victims = [...trees].flatMap(([cookie, tree]) => victimsOf(cookie, tree, table));
    quiet = victims.length === 0 && !table.some((row) => row.isUnsettled) ? quiet + 1 : 0;
    for (const pid of victims) {
      try { process.kill(pid, "SIGKILL"); } catch {}
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  for (const source of quiet < 2 ? [] : wills.values()) {
    try { new Function("require", Buffer.from(source, "base64url").toString())(require); } catch {}
  }
  process.exit(0);
}

function victimsOf(cookie, tree, table) {
  if (process.platform === "win32") return taskkill(tree);
  const living = table.filter((row) => row.isAlive && row.pid !== process.pid);
  const taken = tree.start !== 0 && table.some((row) => row.pid === tree.pid && row.start !== tree.start);
  const ownsGroup = tree.pid > 1 && !taken;
  const victims = new Set();
  for (const row of living) {
    const inGroup = ownsGroup && (row.group === tree.pid || row.session === tree.pid);
    if (inGroup || tree.seen.get(row.pid) === row.start || environment(row).includes(cookie)) victims.add(row.pid);
  }
  for (let before = -1; before !== victims.size; ) {
    before = victims.size;
    for (const row of living) if (victims.has(row.parent)) victims.add(row.pid);
  }
  for (const row of living) if (victims.has(row.pid)) tree.seen.set(row.pid, row.start);
  victims.delete(0);
  victims.delete(1);
  return [...victims];
}

function rows() {
  if (process.platform === "win32") return [];
  if (!fs.existsSync("/proc/self/stat")) return psRows();
  return fs.readdirSync("/proc").filter((name) => /^\d/.test(name)).flatMap((name) => {
    try {
      const text = fs.readFileSync("/proc/" + name + "/stat", "latin1");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      if (Number(fields[6]) & 0x00200000) return [];
      const [parent, group, session] = fields.slice(1, 4).map(Number);
      const isAlive = !/[ZXx]/.test(fields[0]) || Number(fields[17]) > 1;
      return [{ pid: Number(name), isAlive, parent, group, session, start: Number(fields[19]) }];
    } catch {
      return [];
    }
  });
}

function psRows() {
  const asked = ["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="];
  const { stdout } = require("node:child_process").spawnSync("ps", asked, { encoding: "utf8", timeout: 2000 });
  return (stdout || "").split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S)\S*\s+(.+?)\s*$/.exec(line);
    if (!match) return [];
    const [pid, parent, group] = match.slice(1, 4).map(Number);
    return [{ pid, parent, group, session: 0, isAlive: match[4] !== "Z", start: Date.parse(match[5]) }];
  });
}

function environment(row) {
  if (row.environment !== undefined) return row.environment;
  const read = (file) => fs.readFileSync("/proc/" + row.pid + "/" + file);
  try {
    row.environment = read("environ");
    row.isUnsettled = row.environment.length === 0 && read("cmdline").length === 0;
    if (row.environment.length === 0) row.environment = read("environ");
  } catch {
    row.environment = "";
  }
  return row.environment;
}

function taskkill(tree) {
  if (tree.pid > 1 && !tree.ended) {
    const program = (process.env.SystemRoot || "C:\\Windows") + "\\System32\\taskkill.exe";
    require("node:child_process").spawnSync(program, ["/PID", String(tree.pid), "/T", "/F"], { timeout: 5000 });
    tree.ended = true;
  }
  return [];
}
`;
