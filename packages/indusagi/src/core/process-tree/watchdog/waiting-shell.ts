/**
 * The watchdog while its owner lives: a shell that keeps the orders of its arguments and of its input, described in
 * `watchdog-source.ts`. When the input ends and trees are left, it becomes the program that ends them. A shell needs
 * a hundredth of the processor time and of the memory of Node, and most owners never need more.
 *
 * Its arguments are the path of Node, the program, and the first orders. Nothing of an order is ever run. If it has a third
 * descriptor, that is Node's file, which then may be replaced or removed meanwhile.
 */
export const WAITING_SHELL: string = `
trap '' INT TERM HUP QUIT
node=$1 source=$2
shift 2
set -f
IFS='
'
orders=
forget() {
  kept=
  for line in $orders; do
    case $line in "$1 $2"*) ;; *) kept=$kept$line$IFS ;; esac
  done
  orders=$kept
}
obey() {
  words=\${1#* }
  cookie=\${words%% *}
  case $1 in
    "done "*) forget own "$cookie"; forget root "$cookie"; forget seen "$cookie" ;;
    *) forget "\${1%% *}" "$cookie"; orders=$orders$1$IFS ;;
  esac
}
for order; do obey "$order"; done
while read -r order; do obey "$order"; done
[ "$orders" ] || exit 0
[ -r /proc/self/fd/3 ] && node=/proc/self/fd/3
exec "$node" --input-type=commonjs -e "$source" -- $orders </dev/null
`;
