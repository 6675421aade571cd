/**
 * Every place where one sequence stands in another, overlapping ones too. Looks at each element of the longer one
 * once (Knuth, Morris, Pratt): a file of a million equal lines takes no longer than any other.
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

/** For each prefix of the sequence, the length of the longest shorter prefix that is also its end. */
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
