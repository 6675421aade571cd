/**
 * Every index where one sequence occurs in another, including overlaps. Uses Knuth–Morris–Pratt, so a file of a million
 * equal lines takes linear time.
 */
export function* findRuns(within: Int32Array, sought: Int32Array): Generator<number> {
  const fallback = fallbackTable(sought);
  let matched = 0;
  for (let at = 0; at < within.length; at++) {
    while (matched > 0 && within[at] !== sought[matched]) matched = fallback[matched - 1] ?? 0;
    if (within[at] === sought[matched]) matched++;
    if (matched < sought.length || matched === 0) continue;
    yield at - matched + 1;
    matched = fallback[matched - 1] ?? 0;
  }
}

/** For each prefix, the length of its longest proper prefix that is also a suffix. */
function fallbackTable(sought: Int32Array): Int32Array {
  const table = new Int32Array(sought.length);
  let matched = 0;
  for (let at = 1; at < sought.length; at++) {
    while (matched > 0 && sought[at] !== sought[matched]) matched = table[matched - 1] ?? 0;
    if (sought[at] === sought[matched]) matched++;
    table[at] = matched;
  }
  return table;
}
