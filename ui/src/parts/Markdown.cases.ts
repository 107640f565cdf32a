/** Inputs and what they look like: the rendered page without classes, colours and controls (`markupOf` in the tests). */
export type Cases = [input: string, markup: string][];

/** What was looked at while the reader was written. */
export const CASES: Record<string, Cases> = {
  'emphasis beside Chinese, Japanese and Korean punctuation': [
    ['**注意：**请先保存', '<p><strong>注意：</strong>请先保存</p>'],
    ['请看**《使用说明》**第三章', '<p>请看<strong>《使用说明》</strong>第三章</p>'],
    ['这是**“重点”**的意思', '<p>这是<strong>“重点”</strong>的意思</p>'],
    ['*「強調」*です', '<p><em>「強調」</em>です</p>'],
    ['**마크다운(Markdown)**은 쉽다', '<p><strong>마크다운(Markdown)</strong>은 쉽다</p>'],
    ['**步骤(1):**Open the file', '<p><strong>步骤(1):</strong>Open the file</p>'],
    ['***全部。***完了', '<p><em><strong>全部。</strong></em>完了</p>'],
    ['a * b * c，2*3*4 与 snake_case_name', '<p>a * b * c，2<em>3</em>4 与 snake_case_name</p>'],
    ['**未闭合：请先保存', '<p>**未闭合：请先保存</p>'],
    ['~~旧价：~~新价', '<p><s>旧价：</s>新价</p>'],
  ],
  'a tilde in prose': [
    ['温度20~30度，湿度40~60%。', '<p>温度20~30度，湿度40~60%。</p>'],
    ['好的~ 谢谢~', '<p>好的~ 谢谢~</p>'],
    ['~/notes and ~/papers', '<p>~/notes and ~/papers</p>'],
    ['~~gone~~ and ~kept~', '<p><s>gone</s> and ~kept~</p>'],
    ['about ~5 or ~~ so', '<p>about ~5 or ~~ so</p>'],
  ],
  tables: [
    ['a | b\n--|--:\n1 | 2', '<table><tr><th>a</th><th right>b</th></tr><tr><td>1</td><td right>2</td></tr></table>'],
    [
      '| a |\n|---|\n| `x|y` |\n| x\\|y |',
      '<table><tr><th>a</th></tr><tr><td><code>x|y</code></td></tr><tr><td>x|y</td></tr></table>',
    ],
    [
      'As follows:\n| a | b |\n|---|---|\n| 1 |\n\nAfter',
      '<p>As follows:</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td></td></tr></table><p>After</p>',
    ],
    ['a | b\n\nc', '<p>a | b</p><p>c</p>'],
    ['| a |\n|---|\n| one<br>two |', '<table><tr><th>a</th></tr><tr><td>one<br>two</td></tr></table>'],
    [
      '| a | b |\n|---|---|\n| 1 | 2 | 3 |',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2 | 3</td></tr></table>',
    ],
  ],
  'nested lists': [
    [
      '1. a\n  1. b\n  2. c\n2. d',
      '<ol><li><p>a</p><ol><li><p>b</p></li><li><p>c</p></li></ol></li><li><p>d</p></li></ol>',
    ],
    ['1. a\n   - b\n2. c', '<ol><li><p>a</p><ul><li><p>b</p></li></ul></li><li><p>c</p></li></ol>'],
    ['1. a\n    1. b\n        1. c', '<ol><li><p>a</p><ol><li><p>b</p><ol><li><p>c</p></li></ol></li></ol></li></ol>'],
    ['- a\n - b\n  - c', '<ul><li><p>a</p></li><li><p>b</p></li><li><p>c</p></li></ul>'],
    ['3) a\n4) b', '<ol start=3><li><p>a</p></li><li><p>b</p></li></ol>'],
    ['1. a\n\n  more\n\n2. b', '<ol><li><p>a</p><p>more</p></li><li><p>b</p></li></ol>'],
    ['1. a\n   ```sh\n   make\n   ```\n2. b', '<ol><li><p>a</p><pre sh>make</pre></li><li><p>b</p></li></ol>'],
    ['- [x] done\n- [ ] open', '<ul><li>☑<p>done</p></li><li>☐<p>open</p></li></ul>'],
    ['In the year\n1984. it rained', '<p>In the year\n1984. it rained</p>'],
    ['- a\n- b\n* c', '<ul><li><p>a</p></li><li><p>b</p></li></ul><ul><li><p>c</p></li></ul>'],
  ],
  'fences and code': [
    ['```py\nx = 1\n\ny', '<pre py>x = 1\n\ny</pre>'],
    ['````md\n```\nin\n```\n````\nout', '<pre md>```\nin\n```</pre><p>out</p>'],
    ['Run `` a`b `` and `**x**`', '<p>Run <code>a`b</code> and <code>**x**</code></p>'],
    ['~~~\n$x$ <b>\n~~~', '<pre>$x$ <b></pre>'],
    ['text\n```\ncode\n```\ntext', '<p>text</p><pre>code</pre><p>text</p>'],
  ],
  'tags are text': [
    ['Use <tag> and </tag> here', '<p>Use <tag> and </tag> here</p>'],
    ['<div>\n**bold**\n</div>', '<p><div>\n<strong>bold</strong>\n</div></p>'],
    ['Vec<String> is <!-- a --> type', '<p>Vec<String> is <!-- a --> type</p>'],
    [
      '<https://example.org/a> and https://example.org/b。然后',
      '<p><link https://example.org/a>https://example.org/a</link> and <link https://example.org/b>https://example.org/b</link>。然后</p>',
    ],
    ['a &lt; b &amp; c &unknown; d', '<p>a < b & c &unknown; d</p>'],
  ],
  maths: [
    ['It is $x^2$, so', '<p>It is <maths>x^2</maths>, so</p>'],
    ['$5 and $10', '<p>$5 and $10</p>'],
    ['From $5 per head up to 10$ in all', '<p>From $5 per head up to 10$ in all</p>'],
    ['$HOME/$USER and US$5, 6$', '<p>$HOME/$USER and US$5, 6$</p>'],
    ['当$a_1*b_1*c$时', '<p>当<maths>a_1*b_1*c</maths>时</p>'],
    [
      'So \\(a+b\\) and\n\\[\n\\frac{a}{b}\n\\]\nEnd',
      '<p>So <maths>a+b</maths> and</p><maths block>\\frac{a}{b}</maths><p>End</p>',
    ],
    ['$$\nx\n= y\n$$', '<maths block>x\n= y</maths>'],
    ['Here $$x$$ it is', '<p>Here <maths block>x</maths> it is</p>'],
    ['\\$5 and \\$6$', '<p>$5 and $6$</p>'],
    ['$$ is expensive', '<p>$$ is expensive</p>'],
    ['`$x$` stays', '<p><code>$x$</code> stays</p>'],
  ],
  'the rest': [
    ['# T\n\nA\n=\n\nb\\\nc  \nd', '<h4>T</h4><h4>A</h4><p>b<br>c<br>d</p>'],
    ['> a\nb\n> > c\n\n---', '<blockquote><p>a\nb</p><blockquote><p>c</p></blockquote></blockquote><hr>'],
    ['[a](http://x.y "t") ![p](q.png) [r]\n\n[r]: /u', '<p><link http://x.y>a</link> p <link /u>r</link></p>'],
    ['[not a link] and [ ] (x)', '<p>[not a link] and [ ] (x)</p>'],
  ],
  'what the examples of CommonMark showed': [
    ['1.\ta\n2.\tb\n\t- c', '<ol><li><p>a</p></li><li><p>b</p><ul><li><p>c</p></li></ul></li></ol>'],
    ['-\t-\ta', '<ul><li><ul><li><p>a</p></li></ul></li></ul>'],
    ['1. a\n\n  2. b\n\n   3. c', '<ol><li><p>a</p></li><li><p>b</p></li><li><p>c</p></li></ol>'],
    [
      '- a\n - b\n  - c\n   - d\n    - e',
      '<ul><li><p>a</p></li><li><p>b</p></li><li><p>c</p></li><li><p>d</p></li><li><p>e</p></li></ul>',
    ],
    ['[a](/u "t \\" t")', '<p><link /u>a</link></p>'],
  ],
};
