/** The names of the tools that were used last, the latest first. */
export class RecentTools {
  readonly #max: number;
  #names: readonly string[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** Notes a use. True if the set of names changed; their order alone is no reason to tell a client. */
  use(name: string): boolean {
    const isNew = !this.#names.includes(name);
    const rest = isNew ? this.#names : this.#names.filter((known) => known !== name);
    this.#names = [name, ...rest].slice(0, this.#max);
    return isNew && this.#max > 0;
  }
}
