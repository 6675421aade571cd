/** What a part of `npm run cluster` found. */
export interface Proof {
  readonly title: string;
  /** What was done, in a sentence. */
  readonly did: string;
  readonly goals: readonly Goal[];
  readonly notes: readonly string[];
  /** What failed calls said. Printed, not on the page. */
  readonly texts?: readonly string[];
}

export interface Goal {
  readonly goal: string;
  readonly wanted: number;
  readonly found: number;
}

export function isMet({ wanted, found }: Goal): boolean {
  return found === wanted;
}

/** One line for each goal that is missed. */
export function missesOf({ title, goals }: Proof): readonly string[] {
  return goals
    .filter((goal) => !isMet(goal))
    .map(({ goal, wanted, found }) => `${title}: ${goal}: ${found}, not ${wanted}`);
}
