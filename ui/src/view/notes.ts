import type { Words } from './words';
import { NOTES } from './words/notes';

/**
 * A line from below the window, in its language: what tools, the turn, the model and the record say in English.
 * What has no translation is shown as it came: better English than nothing.
 */
export function note(words: Words, text: string): string {
  return words.language === 'zh' ? inChinese(text) : text;
}

function inChinese(text: string): string {
  for (const [pattern, chinese] of NOTES) {
    const caught = pattern.exec(text);
    if (caught) return chinese.replace(/\$(\d)/g, (_, at: string) => inChinese(caught[Number(at)] ?? ''));
  }
  return text;
}
