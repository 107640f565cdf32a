import type { Cases } from './Markdown.cases';

/** The same kinds, written before the reader and run for the first time when it was done: 51 of 53 came out as written here. One was a
 * defect of the reader (a table whose dashes are fewer than its columns), and of `- ---` the expectation was wrong. */
export const UNSEEN: Record<string, Cases> = {
  'emphasis beside Chinese, Japanese and Korean punctuation': [
    ['结论：**可以。**但是要快', '<p>结论：<strong>可以。</strong>但是要快</p>'],
    ['**（重要）**请阅读', '<p><strong>（重要）</strong>请阅读</p>'],
    ['他说**“好！”**然后走了', '<p>他说<strong>“好！”</strong>然后走了</p>'],
    ['これは**「テスト」**です。', '<p>これは<strong>「テスト」</strong>です。</p>'],
    ['**100%**的人和**30%**的猫', '<p><strong>100%</strong>的人和<strong>30%</strong>的猫</p>'],
    ['**サーバー(本番)**を再起動', '<p><strong>サーバー(本番)</strong>を再起動</p>'],
    ['**파일.**을 저장', '<p><strong>파일.</strong>을 저장</p>'],
    [
      '- **名称**：`a.txt`\n- **大小：**5 MB',
      '<ul><li><p><strong>名称</strong>：<code>a.txt</code></p></li><li><p><strong>大小：</strong>5 MB</p></li></ul>',
    ],
    ['**第一：****第二：**', '<p><strong>第一：</strong><strong>第二：</strong></p>'],
    ['价格*不变*，**`code`**可用', '<p>价格<em>不变</em>，<strong><code>code</code></strong>可用</p>'],
  ],
  'a tilde in prose': [
    ['9:00~18:00，周一~周五', '<p>9:00~18:00，周一~周五</p>'],
    ['嗯~好~的', '<p>嗯~好~的</p>'],
    ['~100 to ~200 files', '<p>~100 to ~200 files</p>'],
    ['第1~3章和第5~7章 ~~删除~~', '<p>第1~3章和第5~7章 <s>删除</s></p>'],
    ['H~2~O', '<p>H~2~O</p>'],
  ],
  tables: [
    [
      '姓名 | 年龄\n:-- | :--:\n王 | 30\n李 | 40',
      '<table><tr><th left>姓名</th><th center>年龄</th></tr><tr><td left>王</td><td center>30</td></tr><tr><td left>李</td><td center>40</td></tr></table>',
    ],
    [
      'x | y |\n- | - |\n**1** | $a$ |',
      '<table><tr><th>x</th><th>y</th></tr><tr><td><strong>1</strong></td><td><maths>a</maths></td></tr></table>',
    ],
    [
      '- list\n\n  | a |\n  |---|\n  | 1 |',
      '<ul><li><p>list</p><table><tr><th>a</th></tr><tr><td>1</td></tr></table></li></ul>',
    ],
    ['| a | b |\n|---|', '<p>| a | b |\n|---|</p>'],
    ['true || false\nand | or', '<p>true || false\nand | or</p>'],
  ],
  'nested lists': [
    [
      '1. 一\n  - 甲\n  - 乙\n2. 二',
      '<ol><li><p>一</p><ul><li><p>甲</p></li><li><p>乙</p></li></ul></li><li><p>二</p></li></ol>',
    ],
    [
      '10. ten\n   1. sub\n11. eleven',
      '<ol start=10><li><p>ten</p><ol><li><p>sub</p></li></ol></li><li><p>eleven</p></li></ol>',
    ],
    [
      '- a\n    - b\n        - c\n- d',
      '<ul><li><p>a</p><ul><li><p>b</p><ul><li><p>c</p></li></ul></li></ul></li><li><p>d</p></li></ul>',
    ],
    ['- a\n\t- b\n\t\t1. c', '<ul><li><p>a</p><ul><li><p>b</p><ol><li><p>c</p></li></ol></li></ul></li></ul>'],
    ['1. a\n\n2. b\n   c\n\nd', '<ol><li><p>a</p></li><li><p>b\nc</p></li></ol><p>d</p>'],
    ['Text:\n1. a\n2. b', '<p>Text:</p><ol><li><p>a</p></li><li><p>b</p></li></ol>'],
    ['* a\n  continued\n* b', '<ul><li><p>a\ncontinued</p></li><li><p>b</p></li></ul>'],
    ['- a\n  > q\n- ---', '<ul><li><p>a</p><blockquote><p>q</p></blockquote></li></ul><hr>'],
  ],
  'fences and code': [
    ['1. do\n```\nx', '<ol><li><p>do</p></li></ol><pre>x</pre>'],
    ['``` js title="a"\n1\n```', '<pre js>1</pre>'],
    ['- a\n  ```\n  x\n\n    y\n  ```', '<ul><li><p>a</p><pre>x\n\n  y</pre></li></ul>'],
    ['    indented\n    code\n\ntext', '<pre>indented\ncode</pre><p>text</p>'],
    ['`unclosed and ``twice`` ok', '<p>`unclosed and <code>twice</code> ok</p>'],
    ['```\n```', '<pre></pre>'],
  ],
  'tags are text': [
    ['<think>hm</think>', '<p><think>hm</think></p>'],
    [
      '<details>\n<summary>S</summary>\n\ntext\n</details>',
      '<p><details>\n<summary>S</summary></p><p>text\n</details></p>',
    ],
    [
      '<img src=x onerror=alert(1)> <script>alert(1)</script>',
      '<p><img src=x onerror=alert(1)> <script>alert(1)</script></p>',
    ],
    ['HashMap<K, V> &copy; &#65;', '<p>HashMap<K, V> © A</p>'],
    ['见https://a.example/b?c=1，谢谢', '<p>见<link https://a.example/b?c=1>https://a.example/b?c=1</link>，谢谢</p>'],
  ],
  maths: [
    ["设 $f(x)=x^2$，则$f'(x)=2x$。", "<p>设 <maths>f(x)=x^2</maths>，则<maths>f'(x)=2x</maths>。</p>"],
    ['It costs $20, not $30.', '<p>It costs $20, not $30.</p>'],
    ['Between $1,000-$2,000 a year', '<p>Between $1,000-$2,000 a year</p>'],
    [
      '1. Compute\n   $$\n   a^2\n   $$\n2. Done',
      '<ol><li><p>Compute</p><maths block>a^2</maths></li><li><p>Done</p></li></ol>',
    ],
    ['\\[ E = mc^2 \\]', '<maths block>E = mc^2</maths>'],
    ['$\\{a, b\\}$ and $|x|$', '<p><maths>\\{a, b\\}</maths> and <maths>|x|</maths></p>'],
    ['echo $PATH:$HOME ${x}-${y}', '<p>echo $PATH:$HOME ${x}-${y}</p>'],
    ['$$x$$', '<maths block>x</maths>'],
    ['**$n$ items** cost $3', '<p><strong><maths>n</maths> items</strong> cost $3</p>'],
    [
      '| a | b |\n|---|---|\n| $|x|$ | $2 |',
      '<table><tr><th>a</th><th>b</th></tr><tr><td><maths>|x|</maths></td><td>$2</td></tr></table>',
    ],
  ],
  'the rest': [
    ['## A ##\nText\n***', '<h5>A</h5><p>Text</p><hr>'],
    ['Title\n---\n> - a\n> - b', '<h5>Title</h5><blockquote><ul><li><p>a</p></li><li><p>b</p></li></ul></blockquote>'],
    [
      '[**b**](<a b>) [x][y]\n\n[y]: http://z "t"',
      '<p><link a b><strong>b</strong></link> <link http://z>x</link></p>',
    ],
    ['*a **b** c* _d_ __e__', '<p><em>a <strong>b</strong> c</em> <em>d</em> <strong>e</strong></p>'],
  ],
};
