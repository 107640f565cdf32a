import type { AuditRowView } from '../ipc/generated/types';
import { deciderName } from './names';
import { note } from './notes';
import type { Words } from './words';

/** What a row of the audit log shows of a decision or an outcome, in words. */
export interface Said {
  /** Allowed, refused, or how it ended. */
  said: string;
  tool: string;
  target: string;
  /** Who decided, or what came of it. */
  why: string;
  /** Why a rule decided so; empty where there is nothing to add. */
  reason: string;
}

export function saidOf(words: Words, { tool, target, event }: AuditRowView): Said {
  const place = note(words, target);
  if (event.event === 'outcome') {
    return { said: words.say(`status.${event.status}`), tool, target: place, why: note(words, event.note), reason: '' };
  }
  return {
    said: words.say(event.isAllowed ? 'audit.allowed' : 'audit.refused'),
    tool,
    target: place,
    why: deciderName(words, event.decider),
    reason: event.reason && saysWhy(event.decider) ? note(words, event.reason) : '',
  };
}

/** Of a person's no the row shows who said it; of a rule, and of a yes that made one, also what it is about. */
function saysWhy(decider: string): boolean {
  return decider.startsWith('rule') || decider === 'person approved_with_rule';
}

/** Rows that show the text, without regard to case. */
export function saying(words: Words, rows: AuditRowView[], text: string): AuditRowView[] {
  const wanted = text.trim().toLocaleLowerCase();
  if (wanted === '') return rows;
  return rows.filter((row) =>
    Object.values(saidOf(words, row)).some((part: string) => part.toLocaleLowerCase().includes(wanted)),
  );
}
