import type { Words } from './words';

/** A size in bytes for a person. */
export function bytes(words: Words, n: number): string {
  const tenth = (value: number) => Math.round(value * 10) / 10;
  if (n < 1024) return words.say('unit.bytes', { n });
  if (n < 1024 ** 2) return words.say('unit.kib', { n: tenth(n / 1024) });
  if (n < 1024 ** 3) return words.say('unit.mib', { n: tenth(n / 1024 ** 2) });
  return words.say('unit.gib', { n: tenth(n / 1024 ** 3) });
}

/** A length of time for a person: `0.4 s`, `14 s`, `2 min 5 s`. */
export function duration(words: Words, ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return words.say('unit.seconds', { n: Math.max(0, Math.round(seconds * 10) / 10) });
  const whole = Math.round(seconds);
  if (whole < 60) return words.say('unit.seconds', { n: whole });
  return words.say('unit.minutes', { m: Math.floor(whole / 60), s: whole % 60 });
}

/** Tokens, short: `812`, `3.1k`, `32k`. */
export function tokens(n: number): string {
  if (n < 1000) return String(n);
  if (n < 10_000) return `${(Math.floor(n / 100) / 10).toString()}k`;
  return `${Math.round(n / 1000)}k`;
}

/** The size of a window: `8k` where it is a whole number of 1,024. */
export function windowSize(n: number): string {
  return n >= 1024 && n % 1024 === 0 ? `${n / 1024}k` : tokens(n);
}

/** The time of day, and the day where it is not today. */
export function moment(words: Words, atMs: number, nowMs: number): string {
  const locale = words.language === 'zh' ? 'zh-CN' : 'en-GB';
  const at = new Date(atMs);
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at);
  if (daysBetween(atMs, nowMs) === 0) return clock;
  return `${new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }).format(at)} ${clock}`;
}

/** Calendar days between two moments in local time. */
export function daysBetween(earlierMs: number, laterMs: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
  return Math.round((midnight(laterMs) - midnight(earlierMs)) / 86_400_000);
}

/** The first and the last characters of a hash. */
export function shortHash(hash: string): string {
  const digits = hash.slice(hash.indexOf(':') + 1);
  return digits.length > 16 ? `${digits.slice(0, 8)}…${digits.slice(-4)}` : digits;
}

/** A price in dollars with two figures that count: $0.0012, $3.20. */
export function dollars(price: number): string {
  const nDigits = price >= 0.1 || price <= 0 ? 2 : Math.min(9, 1 - Math.floor(Math.log10(price)));
  return `$${price.toFixed(nDigits)}`;
}
