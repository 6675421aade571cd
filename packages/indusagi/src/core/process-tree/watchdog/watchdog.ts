import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { parse } from "node:path";
import { describeError } from "../../core-error.ts";
import { COOKIE_NAME } from "../members/process-identity.ts";
import { noteWatchdogProblem } from "./protection-level.ts";
import { WATCHDOG_SOURCE } from "./watchdog-source.ts";

/**
 * A process that holds the other end of a pipe to us. When the pipe breaks, however this process ended, it ends every tree
 * it knows.
 */
interface Watchdog {
  readonly running: boolean;
  /** Sends orders, and starts the watchdog first if it is not running. */
  send(...orders: readonly string[]): void;
}

/** `currentOrders` returns the orders for a new watchdog, if one has died. */
export function createWatchdog(currentOrders: () => readonly string[]): Watchdog {
  let watchdog: ChildProcess | undefined;
  let startsLeft = MAX_STARTS;

  const start = (orders: readonly string[]): void => {
    if (startsLeft === 0) return;
    startsLeft -= 1;
    const started = spawnWatchdog(orders);
    if (!started) return;
    watchdog = started;
    noteWatchdogProblem(undefined);
    started.once("exit", () => {
      watchdog = undefined;
      if (startsLeft === 0) noteWatchdogProblem(`it ended ${MAX_STARTS} times`);
      const known = currentOrders();
      if (known.length > 0) start(known);
    });
  };

  return {
    get running() {
      return watchdog !== undefined;
    },
    send(...orders) {
      if (watchdog) watchdog.stdin?.write(`${orders.join("\n")}\n`);
      else start([...currentOrders(), ...orders]);
    },
  };
}

/** If something kills every watchdog, stop starting new ones. */
const MAX_STARTS = 5;

function spawnWatchdog(orders: readonly string[]): ChildProcess | undefined {
  const { closeSync, existsSync } = process.getBuiltinModule("node:fs");
  const node = process.execPath;
  const waits = process.platform !== "win32" && existsSync(SHELL);
  const nodeFile = waits ? openNode() : undefined;
  try {
    // The first orders are arguments, so it never runs without knowing them.
    const [command, args] = waits
      ? [SHELL, ["-c", WAITING_SHELL, "indus-watchdog", node, WATCHDOG_SOURCE, ...orders]]
      : [node, ["--input-type=commonjs", "-e", WATCHDOG_SOURCE, "--", ...orders]];
    const child = spawn(command, args, {
      // Its own session: Ctrl-C at the terminal must not reach it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore", ...(nodeFile === undefined ? [] : [nodeFile])],
      windowsHide: true,
      // So it does not keep a folder busy.
      cwd: parse(node).root,
      env: watchdogEnvironment(),
    });
    child.on("error", (cause) => noteWatchdogProblem(describeError(cause)));
    child.stdin?.on("error", () => {});
    child.unref();
    // Bun's streams have no `unref` and do not keep the process running.
    (child.stdin as Partial<Socket> | null)?.unref?.();
    return child.pid === undefined ? undefined : child;
  } catch (cause) {
    noteWatchdogProblem(describeError(cause));
    return undefined;
  } finally {
    if (nodeFile !== undefined) closeSync(nodeFile);
  }
}

const SHELL = "/bin/sh";

/**
 * Opens the running Node's file: its path may lead to another one by now. Undefined if it cannot be read; then the path is
 * used.
 */
function openNode(): number | undefined {
  try {
    return process.getBuiltinModule("node:fs").openSync("/proc/self/exe", "r");
  } catch {
    return undefined;
  }
}

/** Only what it needs, and the cookie of an outer tree, whose owner then ends the watchdog too. */
function watchdogEnvironment(): NodeJS.ProcessEnv {
  const kept = [COOKIE_NAME, "SystemRoot", "PATH"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const asNode = "electron" in process.versions ? [["ELECTRON_RUN_AS_NODE", "1"] as const] : [];
  return Object.fromEntries([...kept, ...asNode]);
}

/**
 * The watchdog while its owner lives: a shell that keeps the orders from its arguments and input, described in
 * `watchdog-source.ts`. When the input ends and trees are left, it execs the program that ends them. A shell needs a
 * hundredth of Node's CPU time and memory, and most owners never need more.
 *
 * Its arguments are Node's path, the program, and the first orders. The shell never runs any part of an order: `eval` only
 * gets variable names, made from cookies of letters and digits. With one variable per order, the time for an order does not
 * grow with the number of trees. Descriptor 3, if open, is Node's file: the path may have been replaced or removed since.
 */
export const WAITING_SHELL: string = `
trap '' INT TERM HUP QUIT
node=$1 source=$2
shift 2
set -f
IFS='
'
trees= count=0 limit=100
list() {
  trees=$trees$1$IFS
  count=$((count + 1))
  [ $count -gt $limit ] || return
  all=$trees trees= count=0 limit=1000000000
  for tree in $all; do
    eval "own=\\\${own_$tree-}"
    if [ "$own" ]; then list "$tree"; fi
  done
  limit=$((2 * count + 100))
}
obey() {
  words=\${1#* }
  cookie=\${words%% *}
  case $cookie in '' | *[!0-9A-Z]*) return ;; esac
  case $1 in
    "own "*)
      eval "own=\\\${own_$cookie-} own_$cookie=\\$1"
      [ "$own" ] || list "$cookie" ;;
    "root "*) eval "root_$cookie=\\$1" ;;
    "seen "*) eval "seen_$cookie=\\$1" ;;
    "will "*) eval "will_$cookie=\\$1" ;;
    "done "*) unset "own_$cookie" "root_$cookie" "seen_$cookie" "will_$cookie" ;;
  esac
}
for order; do obey "$order"; done
while read -r order; do obey "$order"; done
orders=
for tree in $trees; do
  eval "own=\\\${own_$tree-} root=\\\${root_$tree-} seen=\\\${seen_$tree-} will=\\\${will_$tree-}"
  if [ "$own" ]; then orders=$orders$own$IFS$root$IFS$seen$IFS$will$IFS; fi
done
[ "$orders" ] || exit 0
[ -r /proc/self/fd/3 ] && node=/proc/self/fd/3
exec "$node" --input-type=commonjs -e "$source" -- $orders </dev/null
`;
