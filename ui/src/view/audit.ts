import type { AuditRowView } from '../ipc/generated/types';

/** Rows whose tool, target, decision or outcome has the text in it, without regard to case. */
export function saying(rows: AuditRowView[], text: string): AuditRowView[] {
  const wanted = text.trim().toLocaleLowerCase();
  if (wanted === '') return rows;
  return rows.filter(({ tool, target, event }) => {
    const said =
      event.event === 'decision'
        ? [event.isAllowed ? 'allowed' : 'refused', event.decider, event.reason ?? '']
        : [event.status, event.note];
    return [tool, target, ...said].some((part) => part.toLocaleLowerCase().includes(wanted));
  });
}
