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
