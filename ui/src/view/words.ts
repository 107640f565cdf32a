import { en, type Word } from './words/en';
import { zh } from './words/zh';

export type { Word };
export type Language = 'en' | 'zh';
export type Values = Record<string, string | number>;

const DICTIONARIES: Record<Language, Record<Word, string>> = { en, zh };

/** The texts and number forms of one language. */
export class Words {
  readonly language: Language;
  readonly #numbers: Intl.NumberFormat;

  constructor(language: Language) {
    this.language = language;
    this.#numbers = new Intl.NumberFormat(language === 'zh' ? 'zh-CN' : 'en');
  }

  /** The text of that name with its values filled in. */
  say(word: Word, values: Values = {}): string {
    return fill(DICTIONARIES[this.language][word], values, (n) => this.number(n));
  }

  /** Whether there is a text of that name, for names that come from outside. */
  knows(word: string): word is Word {
    return Object.hasOwn(en, word);
  }

  number(n: number): string {
    return this.#numbers.format(n);
  }
}

/** Fills `{name}` and `{name|one|many}`; inside a form, `{name}` is filled as well. */
export function fill(text: string, values: Values, number: (n: number) => string = String): string {
  const show = (value: string | number) => (typeof value === 'number' ? number(value) : value);
  return text
    .replace(/\{(\w+)\|([^|{}]*)\|((?:[^{}]|\{\w+\})*)\}/g, (whole, name: string, one: string, many: string) => {
      const value = values[name];
      return value === undefined ? whole : value === 1 ? one : many;
    })
    .replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : show(value);
    });
}

/** The window's language: what was set, else the system's. A machine without a locale says `C`. */
export function languageOf(setting: 'system' | Language, system: string): Language {
  if (setting !== 'system') return setting;
  return system.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}
