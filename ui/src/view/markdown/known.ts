/** What was made of stretches of a text when it was last read. A long list that grows by a word is read by that word, and its other items
 * stay the same values, so that the page leaves them alone. */
export class Known {
  #before = new Map<string, unknown>();
  #now = new Map<string, unknown>();

  /** Begins another reading. What the one before did not meet is forgotten. */
  again(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }

  forget(): void {
    this.#before = new Map();
    this.#now = new Map();
  }

  /** What was made of `source`, a text that says all that it depends on but the definitions. */
  get<T>(source: string, make: () => T): T {
    const known = (this.#now.get(source) ?? this.#before.get(source)) as T | undefined;
    const value = known ?? make();
    this.#now.set(source, value);
    return value;
  }
}
