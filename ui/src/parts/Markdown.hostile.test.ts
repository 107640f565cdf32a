import { expect, test } from 'vitest';
import { read } from '../view/markdown';
import { MATHS_ELEMENTS, drawn } from './maths';
import { shown } from './Markdown.markup';

/** Everything that an answer may be made of. */
const ELEMENTS = new Set([
  ...['DIV', 'P', 'SPAN', 'STRONG', 'EM', 'S', 'CODE', 'PRE', 'BUTTON', 'BR', 'HR', 'BLOCKQUOTE', 'UL', 'OL', 'LI'],
  ...['TABLE', 'THEAD', 'TBODY', 'TR', 'TH', 'TD', 'svg', 'path', 'rect'],
  ...MATHS_ELEMENTS,
]);
/** Attributes by which something is fetched, followed or run. */
const FETCHING =
  /^(?:on.*|src|srcset|href|xlink:href|action|formaction|data|poster|background|srcdoc|style|ping|cite|manifest)$/;

const PIECES = [
  ...[
    '<img src=x onerror=alert(1)>',
    '<script>',
    '</script>',
    '<a href="javascript:x">',
    '<svg/onload=x>',
    '<!--',
    '-->',
    '<![CDATA[',
  ],
  ...[
    '<math>',
    '<iframe srcdoc=x>',
    '<br>',
    '<style>',
    '<b',
    '">',
    "'>",
    '&lt;img src=x&gt;',
    '&#60;',
    '&#x3c;',
    '&#0;',
    '\u0000',
  ],
  ...[
    '![a](http://x/y.png)',
    '![',
    '](',
    '[',
    ']',
    '(',
    ')',
    '[a]: javascript:x',
    '[a][a]',
    '<javascript:x>',
    '<http://x>',
    'http://x.y',
  ],
  ...[
    '**',
    '*',
    '_',
    '~~',
    '~',
    '`',
    '``',
    '```',
    '```html\n',
    '~~~',
    '$',
    '$$',
    '\\(',
    '\\)',
    '\\[',
    '\\]',
    '\\',
    '\\\\',
    '$\\',
  ],
  ...[
    '\\href{javascript:x}{y}',
    '\\includegraphics{http://x}',
    '\\url{x}',
    '\\style{x}{y}',
    '\\class{a}{b}',
    '\\data{a=b}{c}',
    '\\id{a}{b}',
  ],
  ...[
    '\\def\\a{\\a\\a}\\a',
    '\\frac',
    '{',
    '}',
    '^',
    '&',
    '\\begin{matrix}',
    '\\end{matrix}',
    '\\color{url(http://x)}',
    '\\rule{9em}{9em}',
  ],
  ...[
    '\n',
    '\n\n',
    '\n\n',
    '    ',
    '\t',
    '> ',
    '- ',
    '1. ',
    '# ',
    '| ',
    ' |\n|--|\n',
    '|',
    '---',
    '===',
    '- [ ] ',
    ' ',
    '  \n',
    '\r\n',
    '\r',
  ],
  ...[
    'a',
    '中',
    '。',
    '：',
    '“',
    '한',
    '🦀',
    '\ud83e',
    '\u202e',
    '\u2028',
    'constructor',
    '__proto__',
    'toString',
    '[__proto__]',
    '[^1]',
  ],
];

/** A sequence that is the same each time. */
function draw(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

function hostile(seed: number): string {
  const next = draw(seed * 7919 + 1);
  return Array.from({ length: 1 + next(25) }, () => PIECES[next(PIECES.length)] ?? '').join('');
}

function faults(root: Element, text: string): string[] {
  return [...root.querySelectorAll('*')].flatMap((element) => [
    ...(ELEMENTS.has(element.tagName) ? [] : [`${element.tagName} in ${JSON.stringify(text)}`]),
    ...[...element.attributes]
      .filter(({ name }) => FETCHING.test(name))
      .map(({ name, value }) => `${element.tagName} ${name}=${value} in ${JSON.stringify(text)}`),
  ]);
}

test(
  'of 10,000 hostile texts none becomes anything but words, code, links to copy and formulas',
  { timeout: 300_000 },
  () => {
    const found: string[] = [];
    for (let seed = 0; seed < 10_000; seed++) {
      const text = hostile(seed);
      const { root, done } = shown(text, seed % 2 === 1);
      found.push(...faults(root, text));
      done();
    }
    expect(found).toEqual([]);
  },
);

test('of 2,000 hostile formulas none becomes anything but a formula', { timeout: 300_000 }, async () => {
  const root = document.createElement('div');
  const found: string[] = [];
  let n = 0;
  for (let seed = 0; seed < 2000; seed++) {
    const next = draw(seed * 104729 + 3);
    const tex = Array.from({ length: 1 + next(6) }, () => FORMULAS[next(FORMULAS.length)] ?? '').join(' ');
    const formula = await drawn(tex, seed % 2 === 1);
    root.replaceChildren(...(formula ? [formula.cloneNode(true)] : []));
    if (formula) n++;
    found.push(...faults(root, tex).filter((fault) => !/ style=[^(]*$/.test(fault.split(' in ')[0] ?? '')));
  }
  expect(found).toEqual([]);
  expect(n).toBeGreaterThan(100);
});

const FORMULAS = [
  ...[
    'x',
    '^2',
    '_{i}',
    '\\frac{a}{b}',
    '\\sqrt[3]{x}',
    '\\vec{v}',
    '\\color{red}',
    '\\colorbox{yellow}{a}',
    '\\text{中 <b>}',
    '\\label{a}',
  ],
  ...[
    '\\href{javascript:x}{y}',
    '\\url{http://x}',
    '\\includegraphics{http://x}',
    '\\class{a}{b}',
    '\\id{a}{b}',
    '\\data{a=b}{c}',
  ],
  ...[
    '\\style{background:url(http://x)}{y}',
    '\\color{url(http://x)}',
    '\\tag{1}',
    '\\ref{a}',
    '\\def\\a{b}\\a',
    '\\gdef\\b{\\b}',
    '\\cancel{x}',
  ],
  ...[
    '\\begin{pmatrix}a&b\\\\c&d\\end{pmatrix}',
    '\\left(',
    '\\right)',
    '\\underbrace{x}_{y}',
    '\\rule{1em}{2em}',
    '<img src=x>',
    '{',
    '}',
    '\\boxed{a}',
  ],
  ...[
    '\\mathbb{R}',
    '\\overline{ab}',
    '\\hspace{1em}',
    '\\kern999em',
    '\\Huge',
    '\\xrightarrow{a}',
    '\\require{mhchem}',
    '\\unicode{x3c}',
    '\\bbox[red]{x}',
  ],
];

test.each([
  ['quotes', '>'.repeat(3000)],
  ['quotes with blanks', '> '.repeat(3000) + 'x'],
  ['lists', '- '.repeat(5000) + 'x'],
  ['numbers', '1. '.repeat(3000) + 'x'],
  ['quotes and lists', '> - '.repeat(3000) + 'x'],
  ['a list in a list', Array.from({ length: 800 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')],
  ['brackets', '['.repeat(20_000)],
  ['pictures', '!['.repeat(10_000) + ']()'.repeat(10_000)],
  ['stars', '*a '.repeat(10_000) + ' a*'.repeat(10_000)],
  ['marks in turn', '*_'.repeat(10_000) + 'a' + '_*'.repeat(10_000)],
  ['backticks', Array.from({ length: 400 }, (_, at) => '`'.repeat(at)).join(' ')],
  ['dollars', '$a '.repeat(5_000)],
  ['pairs of dollars', '$$a '.repeat(5_001)],
  ['formulas', '\\(a '.repeat(5_000)],
  ['bars', '|'.repeat(20_000) + '\n' + '|-'.repeat(20_000)],
  ['tags', '<a '.repeat(10_000)],
  ['entities', '&a'.repeat(20_000)],
  ['definitions', Array.from({ length: 3000 }, (_, at) => `[${at}]: x\n\n`).join('')],
  ['blanks', ' '.repeat(100_000) + 'x' + '\n'.repeat(10_000)],
  ['dashes', '- '.repeat(50_000)],
  ['hashes', `# ${'# '.repeat(50_000)}`],
  ['braces', `$${'{'.repeat(1500)}x${'}'.repeat(1500)}$`],
])('%s without end are shown, and soon', (_name, text) => {
  const began = performance.now();
  expect(read(text).length).toBeGreaterThanOrEqual(0);
  expect(performance.now() - began).toBeLessThan(10_000);
  const { root, done } = shown(text.slice(0, 3000));
  expect(faults(root, 'it')).toEqual([]);
  done();
});
