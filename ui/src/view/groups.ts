import type { ConversationRow } from '../ipc/generated/types';
import { daysBetween } from './format';
import type { Word } from './words';

export interface Group {
  heading: Word;
  rows: ConversationRow[];
}

/** The list by day, newest first; empty groups are left out. */
export function byDay(rows: ConversationRow[], nowMs: number): Group[] {
  const headingOf = (row: ConversationRow): Word => {
    const days = daysBetween(row.updatedAtMs, nowMs);
    if (days <= 0) return 'list.today';
    if (days === 1) return 'list.yesterday';
    return days < 7 ? 'list.week' : 'list.earlier';
  };
  const groups: Group[] = [];
  for (const row of [...rows].sort((a, b) => b.updatedAtMs - a.updatedAtMs)) {
    const heading = headingOf(row);
    const last = groups.at(-1);
    if (last?.heading === heading) last.rows.push(row);
    else groups.push({ heading, rows: [row] });
  }
  return groups;
}

/** Rows whose title has the text in it, without regard to case. */
export function withTitle(rows: ConversationRow[], text: string): ConversationRow[] {
  const wanted = text.trim().toLocaleLowerCase();
  return wanted === '' ? rows : rows.filter((row) => row.title.toLocaleLowerCase().includes(wanted));
}
