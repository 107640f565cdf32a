import type { BlockView, ElsewhereView, OriginView, PieceView, RequestView, TracedView } from '../ipc/generated/types';
import { hasOwnSource, leftOut, sent } from './blocks';
import { duration } from './format';
import { note } from './notes';
import type { Words } from './words';

/** What happened in a turn, in sentences. Empty where nothing was asked. */
export function glance(words: Words, requests: RequestView[]): string[] {
  const of = (purpose: RequestView['purpose']) => requests.filter((request) => request.purpose === purpose);
  const [work, answers] = [of('work'), of('answer')];
  const behind = answers.at(-1) ?? work.at(-1);
  if (!behind) return [];
  const nFacts = sent(behind).filter(({ kind }) => kind === 'fact').length;
  const story =
    answers.length === 0
      ? [words.say(work.length === 1 ? 'glance.one' : 'glance.work', { n: work.length })]
      : [
          words.say('glance.work', { n: work.length }),
          words.say(nFacts === 0 ? 'glance.answerNothing' : 'glance.answer', { n: nFacts }),
        ];
  return [
    ...story,
    words.say('glance.answerHolds', { n: behind.nTokens, of: behind.window }),
    ...shortage(words, behind),
    ...(requests.some(({ witness }) => witness === 'readLess') ? [words.say('glance.readLess')] : []),
    ...(of('summary').length > 0 ? [words.say('glance.summary')] : []),
  ];
}

/** What a request had no room for. */
function shortage(words: Words, request: RequestView): string[] {
  const nCut = request.blocks.filter(({ verdict }) => verdict.verdict === 'cut').length;
  const nDropped = request.blocks.filter(({ had }) => had !== null).length;
  const said = [
    nCut > 0 ? words.say('glance.cut', { n: nCut }) : '',
    nDropped > 0 ? words.say('glance.dropped', { n: nDropped }) : '',
  ].filter((sentence) => sentence !== '');
  return said.length > 0 ? said : [words.say('glance.whole')];
}

/** Tokens that a request left out for want of room. */
export function nBeyond(request: { blocks: BlockView[] }): number {
  return request.blocks.reduce((sum, { had, nTokens }) => sum + (had === null ? 0 : nTokens), 0);
}

/** The same as a share of the window. */
export function beyondShare(request: { blocks: BlockView[]; window: number }): number {
  return nBeyond(request) / Math.max(1, request.window);
}

/** What is to be known of the plan of the work beside a request: the reminder that it carried, and the rounds without a written list. */
export function planSigns(words: Words, request: Pick<RequestView, 'hasReminder' | 'nStaleRounds'>): string {
  return [
    request.hasReminder ? words.say('request.reminder') : '',
    request.nStaleRounds > 0 ? words.say('request.stale', { n: request.nStaleRounds }) : '',
  ]
    .filter((sign) => sign !== '')
    .join(' · ');
}

/** Where a text stands that never entered the conversation, in words. */
export function elsewhereName(words: Words, place: ElsewhereView): string {
  const level = words.say(`where.level.${place.level}`);
  return place.place === 'file'
    ? words.say('where.inFile', { path: place.path, line: place.line, level })
    : words.say('where.inOther', {
        what: words.say(`where.in.${place.kind}`),
        title: place.title ?? words.say('where.untitled'),
        level,
      });
}

/** The kinds of blocks that had nothing to say, each once, in their order. */
export function silent(words: Words, blocks: BlockView[]): string[] {
  const empty = blocks.filter(({ verdict }) => verdict.verdict === 'dropped' && verdict.rule === 'empty');
  return [...new Set(empty.map(({ kind }) => words.say(`kind.${kind}`)))];
}

/** What was needed and what there was, where a block was left out for its size. */
export function room(words: Words, block: { nTokens: number; had: number | null }): string {
  return block.had === null ? '' : words.say('request.room', { needed: block.nTokens, had: block.had });
}

/** The block after or before this one among those that a request holds; the first or the last where there is none. */
export function neighbour(request: { blocks: BlockView[] }, position: number | null, by: 1 | -1): number | null {
  const places = [...sent(request), ...leftOut(request)].map((block) => block.position);
  if (places.length === 0) return null;
  const at = position === null ? -1 : places.indexOf(position);
  const next = at < 0 ? (by > 0 ? 0 : places.length - 1) : Math.min(Math.max(0, at + by), places.length - 1);
  return places[next] ?? null;
}

/** A block in words: what it is, and where it comes from. */
export function blockName(words: Words, kind: BlockView['kind'], source: string): string {
  const name = words.say(`kind.${kind}`);
  const from = note(words, source);
  return source === '' || !hasOwnSource(kind) || from.endsWith(name) ? name : `${name} · ${from}`;
}

/** Where a text entered, in words. */
export function originName(words: Words, origin: OriginView): string {
  const what = words.say(`where.in.${origin.kind}`);
  const place = origin.turnNumber === null ? what : words.say('where.ofTurn', { what, number: origin.turnNumber });
  const source = origin.source === '' ? '' : ` (${origin.source})`;
  return `${place}${source}: ${words.say(`where.level.${origin.level}`)}`;
}

/** What became of a text in one request, in words. */
export function outcomeName(words: Words, traced: TracedView): string {
  const { outcome } = traced;
  const block = traced.kind ? blockName(words, traced.kind, traced.source) : '';
  switch (outcome.outcome) {
    case 'whole':
      return [
        words.say('where.whole', { block }),
        words.say(`where.level.${outcome.level}`),
        words.say('where.place', {
          number: outcome.number,
          of: outcome.of,
          percent: Math.max(1, Math.round(outcome.percent)),
        }),
        outcome.nTokensToQuestion === null ? '' : words.say('where.distance', { n: outcome.nTokensToQuestion }),
      ]
        .filter((part) => part !== '')
        .join(' · ');
    case 'cut':
      return words.say(outcome.hasBeginning ? 'where.cutThrough' : 'where.cut', {
        line: outcome.line,
        kept: outcome.keptLines,
        of: outcome.ofLines,
        block,
      });
    case 'stubbed':
      return words.say('where.stubbed', { block });
    case 'inSummary':
      return `${words.say('where.inSummary')} · ${words.say(`where.level.${outcome.level}`)}`;
    case 'dropped': {
      const rule = words.say('where.dropped', { block, rule: words.say(`rule.${outcome.rule}`) });
      const short = room(words, { nTokens: traced.needed ?? 0, had: traced.had });
      return short === '' ? rule : `${rule} · ${short}`;
    }
    case 'superseded':
      return words.say('where.superseded');
    case 'folded':
      return words.say('where.folded', { version: outcome.version });
    case 'notChosen': {
      const names = outcome.chosen.slice(0, 3).map(({ source, score }) => `${note(words, source)} ${score.toFixed(2)}`);
      const chosen =
        names.length === 0 ? words.say('where.chosenNone') : words.say('where.chosen', { names: names.join(', ') });
      return `${words.say('where.notChosen')}: ${chosen}`;
    }
    case 'earlierResult':
      return words.say('where.earlierResult');
    case 'notThere':
      return words.say('where.notThere');
  }
}

/** Requests one after the other in which the same became of a text, told by the last of them. */
export interface OutcomeRun {
  traced: TracedView;
  /** The number of the first of them. */
  from: number;
}

/** The same told once: the request behind the answer comes first in its turn, because that is the one that is asked about. */
export function outcomeRuns(requests: TracedView[]): OutcomeRun[] {
  const order = (one: TracedView) => (one.purpose === 'answer' ? 0 : one.purpose === 'work' ? 1 : 2);
  const sorted = [...requests].sort(
    (a, b) => b.turnNumber - a.turnNumber || order(a) - order(b) || a.number - b.number,
  );
  const all: OutcomeRun[] = [];
  for (const traced of sorted) {
    const last = all.at(-1);
    if (last && isSame(last.traced, traced)) all[all.length - 1] = { from: last.from, traced };
    else all.push({ from: traced.number, traced });
  }
  return all;
}

function isSame(one: TracedView, other: TracedView): boolean {
  const level = (traced: TracedView) => ('level' in traced.outcome ? traced.outcome.level : '');
  return (
    one.turn === other.turn &&
    one.purpose === other.purpose &&
    one.outcome.outcome === other.outcome.outcome &&
    one.kind === other.kind &&
    one.source === other.source &&
    level(one) === level(other)
  );
}

/** How well a text fared, for the mark before its line. */
export function outcomeMark(traced: TracedView): 'there' | 'partly' | 'gone' {
  const { outcome } = traced.outcome;
  if (outcome === 'whole') return 'there';
  return outcome === 'cut' || outcome === 'inSummary' || outcome === 'stubbed' ? 'partly' : 'gone';
}

/** The pieces of a request, neighbours of the same block joined. */
export function joined(pieces: PieceView[]): PieceView[] {
  const all: PieceView[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last && last.block === piece.block) all[all.length - 1] = { block: last.block, text: last.text + piece.text };
    else all.push(piece);
  }
  return all;
}

/** When the first word came; empty where nobody said. */
export function firstToken(words: Words, request: RequestView): string {
  const ms = request.usage?.firstTokenMs ?? null;
  return ms === null ? '' : words.say('glance.firstToken', { time: duration(words, ms) });
}
