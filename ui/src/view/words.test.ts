import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fill, languageOf, Words } from './words';
import { en } from './words/en';
import { zh } from './words/zh';

const names = (text: string) => [...new Set([...text.matchAll(/\{(\w+)[|}]/g)].map(([, name]) => name))].sort();

test('both languages take the same values', () => {
  const differing = (Object.keys(en) as (keyof typeof en)[])
    .filter((word) => names(en[word]).join() !== names(zh[word]).join())
    .map((word) => `${word}: ${names(en[word]).join()} / ${names(zh[word]).join()}`);
  expect(differing).toEqual([]);
});

test('a number chooses its form and is written in the language', () => {
  expect(new Words('en').say('trail.composing', { n: 1 })).toBe('writing the answer from one fact…');
  expect(new Words('en').say('trail.composing', { n: 1200 })).toBe('writing the answer from 1,200 facts…');
  expect(new Words('zh').say('trail.composing', { n: 2 })).toBe('正在根据 2 条事实写回答…');
});

test('a value that looks like a place to fill stays as it is', () => {
  expect(fill('reading {target}', { target: '{target}.md' })).toBe('reading {target}.md');
});

test('a machine without a locale gets English', () => {
  expect(['C', 'en-GB', 'zh-CN', 'zh-Hant', 'de'].map((system) => languageOf('system', system))).toEqual([
    'en',
    'en',
    'zh',
    'zh',
    'en',
  ]);
  expect(languageOf('zh', 'C')).toBe('zh');
});

test('every text is said somewhere', () => {
  const root = join(import.meta.dirname, '..');
  const sources = readdirSync(root, { encoding: 'utf8', recursive: true })
    .filter((path) => /\.(ts|svelte)$/.test(path) && !path.includes('words/') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  // A name that is put together, such as `status.${status}`, may be any that begins so and goes on by one word.
  const beginnings = [...sources.matchAll(/`([\w.]+\.)\$\{/g)].map(([, beginning = '']) => beginning);
  beginnings.push('trail.tool.', 'trail.did.', 'trail.denied.');
  const isSaid = (word: string) =>
    sources.includes(`'${word}'`) ||
    beginnings.some((start) => word.startsWith(start) && !word.slice(start.length).includes('.'));
  expect(Object.keys(en).filter((word) => !isSaid(word))).toEqual([]);
});
