import type { EnteredView, SummaryView } from '../ipc/generated/types';

/** A line of a summary, and the exchange that it stands for where that is known. */
export interface SummaryLine {
  text: string;
  exchange: EnteredView | null;
}

/** Every exchange that the newest of some versions stands for, oldest first; `versions` begin with the newest. */
export function exchangesOf(versions: SummaryView[]): EnteredView[] {
  return versions.toReversed().flatMap(({ entered }) => entered);
}

/** The prose of the newest of some versions, line by line. */
export function linesOf(versions: SummaryView[]): SummaryLine[] {
  const texts = (versions[0]?.prose ?? '').split('\n').filter((text) => text.trim() !== '');
  const nLines = texts.filter(isOfExchange).length;
  const exchanges = exchangesOf(versions);
  const taken = nLines === exchanges.length ? exchanges : takenByRule(versions);
  // Lines are added below, and the oldest go first, so the last ones belong together.
  let at = taken.length - nLines;
  return texts.map((text) => ({ text, exchange: isOfExchange(text) ? (taken[at++] ?? null) : null }));
}

/** The exchanges that a rule took in since somebody last wrote the text anew: each has a line of its own at the end, unless that had to go. */
function takenByRule(versions: SummaryView[]): EnteredView[] {
  const written = versions.findIndex(({ author }) => author !== 'rule');
  return exchangesOf(written < 0 ? versions : versions.slice(0, written));
}

function isOfExchange(line: string): boolean {
  return line.startsWith('- ');
}
