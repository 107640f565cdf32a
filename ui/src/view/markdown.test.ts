import { expect, test } from 'vitest';
import { read, Reader, type Block, type Inline } from './markdown';

const KINDS = new Set(['paragraph', 'heading', 'code', 'maths', 'quote', 'list', 'table', 'rule']);

/** All text of a tree, and a check that it is made of known nodes only. */
function textOf(blocks: Block[]): string {
  return blocks
    .map((block): string => {
      expect(KINDS).toContain(block.type);
      switch (block.type) {
        case 'paragraph':
        case 'heading':
          return inlines(block.children);
        case 'code':
          return block.text;
        case 'maths':
          return block.tex;
        case 'quote':
          return textOf(block.children);
        case 'list':
          return block.items.map((item) => textOf(item.children)).join(' ');
        case 'table':
          return [block.head, ...block.rows]
            .flat()
            .map((cell) => inlines(cell.children))
            .join(' ');
        case 'rule':
          return '';
      }
    })
    .join('\n');
}

function inlines(all: Inline[]): string {
  return all
    .map((inline) => {
      switch (inline.type) {
        case 'text':
        case 'code':
          return inline.text;
        case 'image':
          return inline.text;
        case 'maths':
          return inline.tex;
        case 'break':
          return '\n';
        default:
          return inlines(inline.children);
      }
    })
    .join('');
}

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  'a <b onmouseover="alert(1)">bold</b> word',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<svg><animate onbegin=alert(1)></svg>',
  '<a href="javascript:alert(1)">go</a>',
];

test('markup in a text is text', () => {
  for (const hostile of HOSTILE) expect(textOf(read(hostile))).toContain(hostile.slice(0, 12));
});

test('every beginning of a text is a tree of known nodes', () => {
  const whole = `# Title\n\nA **bold** [link](javascript:alert(1)) and \`code\`.\n\n- one\n  - [x] two\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n\n\`\`\`sh\nmake\n\`\`\`\n\n> quote\n\n${HOSTILE.join('\n\n')}`;
  for (let end = 0; end <= whole.length; end++) textOf(read(whole.slice(0, end)));
});

test('a text that grows reads as it would at once, and closed blocks stay the same values', () => {
  const whole = 'One [a].\n\n- x\n- y\n\n```sh\nmake\n```\n\nLast *word*.\n\n[a]: https://example.org\n\nEnd';
  for (let stop = 0; stop <= whole.length; stop++) {
    const grown = new Reader();
    for (let end = 0; end < stop; end++) grown.read(whole.slice(0, end), true);
    expect(grown.read(whole.slice(0, stop), false)).toEqual(read(whole.slice(0, stop)));
  }
  const reader = new Reader();
  const before = reader.read(whole, true);
  const after = reader.read(`${whole} and more`, true);
  expect(after.slice(0, -1).every((block, at) => block === before[at])).toBe(true);
  expect(after.at(-1)).not.toBe(before.at(-1));
});

test('a list, a table and code come out as such', () => {
  expect(read('1. run\n2. check\n\n```sh\nmake\n```')).toEqual([
    {
      type: 'list',
      isOrdered: true,
      start: 1,
      items: [
        { isChecked: null, children: [{ type: 'paragraph', children: [{ type: 'text', text: 'run' }] }] },
        { isChecked: null, children: [{ type: 'paragraph', children: [{ type: 'text', text: 'check' }] }] },
      ],
    },
    { type: 'code', language: 'sh', text: 'make', isOpen: false },
  ]);
});

test('characters that markup would write as entities are themselves', () => {
  expect(textOf(read('a < b && c > "d" & `x<y`'))).toBe('a < b && c > "d" & x<y');
});
