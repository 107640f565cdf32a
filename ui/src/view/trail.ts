import type { StepView } from '../ipc/generated/types';
import { targetOf } from './approval';
import { duration } from './format';
import { note } from './notes';
import type { Turn } from './turn';
import type { Values, Word, Words } from './words';

/** What a running turn is doing, in words. */
export function doing(words: Words, turn: Turn): string {
  const waiting = turn.approvals[0];
  if (waiting?.operation === 'remember' || waiting?.operation === 'forget') {
    return words.say(`trail.waiting.${waiting.operation}`);
  }
  if (waiting) return words.say('trail.waiting', { path: targetOf(waiting) });
  const { phase } = turn;
  switch (phase.phase) {
    case 'starting':
      return words.say('trail.starting');
    case 'loading':
      return words.say('trail.loading', { percent: phase.percent });
    case 'reading':
      return words.say('trail.reading', { percent: phase.percent });
    case 'thinking':
    case 'ended':
      return words.say('trail.thinking');
    case 'tool':
      return sayOfTool(words, 'trail.tool', phase.tool, phase.target);
    case 'composing':
      return words.say('trail.composing', { n: phase.nFacts });
    case 'summarising':
      return words.say('trail.summarising');
    case 'answering':
      return words.say('trail.answering');
    case 'retrying':
      return words.say('trail.retrying', { attempt: phase.attempt, of: phase.of, reason: note(words, phase.reason) });
  }
}

/** What an ended turn did, in one line: `read README.md, wrote list.md · 3 steps · 14 s`. */
export function did(words: Words, turn: Turn): string {
  const told = distinct(turn.steps.map((step) => sayOfStep(words, step)).filter((text) => text !== ''));
  const shown = told.slice(0, 3);
  if (told.length > shown.length) shown.push(words.say('trail.andMore', { n: told.length - shown.length }));
  const parts = [];
  if (shown.length > 0) parts.push(shown.join(words.language === 'zh' ? '，' : ', '));
  else if (turn.steps.length === 0) parts.push(words.say(turn.answer === '' ? 'trail.nothing' : 'trail.direct'));
  if (turn.steps.length > 0) parts.push(words.say('trail.nSteps', { n: turn.steps.length }));
  if (turn.endedAtMs !== null) parts.push(duration(words, turn.endedAtMs - turn.askedAtMs));
  return parts.join(' · ');
}

/** What is said when a turn has ended; text that a failure left behind is no answer. */
export function endedAs({ ending, answer }: Turn): Word {
  if (ending?.ending === 'stopped') return 'say.stopped';
  const isAnswer = ending?.ending === 'answered' || ending?.ending === 'limited';
  return isAnswer && answer !== '' ? 'say.answer' : 'say.failed';
}

/** The name of a tool for a person; a tool that is not ours keeps its own. */
export function toolName(words: Words, tool: string): string {
  const word = `step.${tool}`;
  return words.knows(word) ? words.say(word) : tool;
}

function sayOfStep(words: Words, step: StepView): string {
  if (step.status === 'done') return sayOfTool(words, 'trail.did', step.tool, step.target);
  if (step.status === 'refused') return sayOfTool(words, 'trail.denied', step.tool, step.target);
  return '';
}

function sayOfTool(
  words: Words,
  list: 'trail.tool' | 'trail.did' | 'trail.denied',
  tool: string,
  target: string,
): string {
  const word = `${list}.${tool}`;
  // The workspace itself is `.` to a tool.
  const values: Values = { tool, target: target === '.' ? words.say('trail.root') : note(words, target) };
  return words.knows(word) ? words.say(word, values) : words.say(`${list}.other`, values);
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts)];
}
