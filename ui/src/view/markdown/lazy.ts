import { closesFence, fenceOf, headingOf, isBlankLine, isRule, type Fence } from './lines';

/** Watches the lines of a quote or an item, to know whether a line without its mark goes on with the text before. */
export class Lazy {
  #fence: Fence | null = null;
  #last = '';

  see(line: string): void {
    // The marks of what stands within are not what is asked for here.
    const text = line.replace(/^[ >]{0,64}(?:(?:[-+*]|\d{1,9}[.)]) +)?/, '');
    const wasOpen = this.#fence !== null;
    if (this.#fence) this.#fence = closesFence(text, this.#fence) ? null : this.#fence;
    else this.#fence = fenceOf(text);
    this.#last = wasOpen || this.#fence ? '' : text;
  }

  get isText(): boolean {
    return !isBlankLine(this.#last) && !headingOf(this.#last) && !isRule(this.#last);
  }
}
