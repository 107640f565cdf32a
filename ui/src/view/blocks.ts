import type { BlockKindView, BlockView, ExactnessView } from '../ipc/generated/types';

/** A kind is told by its colour and by its letter. */
export const LETTERS: Record<BlockKindView, string> = {
  instructions: 'I',
  tools: 'T',
  knowledge: 'K',
  language: 'L',
  profile: 'P',
  memory: 'M',
  passage: 'G',
  summary: 'S',
  history: 'H',
  question: 'Q',
  list: 'O',
  step: 'A',
  thought: 'E',
  call: 'C',
  result: 'R',
  reminder: '!',
  done: 'D',
  fact: 'F',
  pointers: 'V',
  notice: 'N',
  task: 'W',
};

/** The colour of a kind, the same everywhere. */
export function colour(kind: BlockKindView): string {
  return `var(--kind-${kind})`;
}

const SOURCED: BlockKindView[] = [
  'knowledge',
  'memory',
  'passage',
  'summary',
  'history',
  'step',
  'thought',
  'call',
  'result',
  'fact',
];

/** Whether where a block comes from says more than what kind it is. */
export function hasOwnSource(kind: BlockKindView): boolean {
  return SOURCED.includes(kind);
}

/** A request as it was composed, whether it was sent or would be. */
export interface Composed {
  exactness: ExactnessView;
  nTokens: number;
  /** Tokens kept free for the reply. */
  reserve: number;
  window: number;
  blocks: BlockView[];
}

/** A stretch of the bar: a block, what the template adds, what is free, or what is kept for the reply. */
export interface Stretch {
  kind: BlockKindView | 'other' | 'free' | 'reserve';
  nTokens: number;
  /** Share of the window, 0 to 1. */
  share: number;
  block: BlockView | null;
}

/** The window of a request to scale: its blocks in order, then what belongs to no block, what is free, and the reserve. */
export function stretches(request: Composed): Stretch[] {
  const window = Math.max(1, request.window);
  const stretch = (kind: Stretch['kind'], nTokens: number, block: BlockView | null): Stretch => ({
    kind,
    nTokens,
    share: nTokens / window,
    block,
  });
  const blocks = sent(request).map((block) => stretch(block.kind, block.nPlaced, block));
  const other = unblocked(request);
  const reserve = Math.min(request.reserve, Math.max(0, request.window - request.nTokens));
  const free = Math.max(0, request.window - request.nTokens - reserve);
  return [
    ...blocks,
    stretch('other', other, null),
    stretch('free', free, null),
    stretch('reserve', reserve, null),
  ].filter(({ nTokens }) => nTokens > 0);
}

/** Neighbours of one kind as one stretch, where a bar is too short for each of them: of sixty exchanges it would show the gaps. */
export function merged(all: Stretch[]): Stretch[] {
  const out: Stretch[] = [];
  for (const stretch of all) {
    const last = out.at(-1);
    const isCut = (one: Stretch) => one.block?.verdict.verdict === 'cut';
    if (last && last.kind === stretch.kind && !isCut(last) && !isCut(stretch)) {
      const nTokens = last.nTokens + stretch.nTokens;
      out[out.length - 1] = { ...last, nTokens, share: last.share + stretch.share, block: null };
    } else out.push(stretch);
  }
  return out;
}

/** Tokens that are sent beside the blocks: tool definitions, and what the interface or the template adds. */
export function unblocked(request: Composed): number {
  return Math.max(0, request.nTokens - sent(request).reduce((sum, { nPlaced }) => sum + nPlaced, 0));
}

/** Blocks that are in the request, whole or cut. */
export function sent(request: { blocks: BlockView[] }): BlockView[] {
  return request.blocks.filter(({ verdict }) => verdict.verdict !== 'dropped');
}

/** Blocks that are not in it, in the order in which they went. An empty one had nothing to say and is not counted as left out. */
export function leftOut(request: { blocks: BlockView[] }): BlockView[] {
  const order = ({ verdict }: BlockView) => (verdict.verdict === 'dropped' ? verdict.order : 0);
  return request.blocks
    .filter(({ verdict }) => verdict.verdict === 'dropped' && verdict.rule !== 'empty')
    .sort((a, b) => order(a) - order(b));
}

/** Blocks that were left out by one rule, one after the other. */
export interface LeftOut {
  verdict: BlockView['verdict'];
  blocks: BlockView[];
}

/** What was left out, each rule said once for the blocks that went by it one after the other. */
export function leftOutByRule(request: { blocks: BlockView[] }): LeftOut[] {
  const groups: LeftOut[] = [];
  const rule = ({ verdict }: { verdict: BlockView['verdict'] }) =>
    verdict.verdict === 'dropped' ? verdict.rule : verdict.verdict;
  for (const block of leftOut(request)) {
    const last = groups.at(-1);
    if (last && rule(last) === rule(block)) last.blocks.push(block);
    else groups.push({ verdict: block.verdict, blocks: [block] });
  }
  return groups;
}

/** Where a sentence is in a request: the blocks that have it, and whether it is still there in what was sent. */
export interface Place {
  position: number;
  isPlaced: boolean;
}

/** The blocks whose whole text has the sentence in it. */
export function placesOf(
  sentence: string,
  texts: { position: number; whole: string; placed: string | null }[],
): Place[] {
  const wanted = sentence.trim().toLocaleLowerCase();
  if (wanted === '') return [];
  const has = (text: string | null) => text !== null && text.toLocaleLowerCase().includes(wanted);
  return texts.filter(({ whole }) => has(whole)).map(({ position, placed }) => ({ position, isPlaced: has(placed) }));
}
