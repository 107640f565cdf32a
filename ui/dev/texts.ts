import type { Mark } from '../src/view/marks';
import type { Probe } from '../src/view/probe';
import type { ReceiptEntry } from '../src/view/receipt';

/** Markdown to look at: each kind that is tested, as a model writes it. */
export const MARKDOWN = [
  `## 设备说明

**注意：**请先保存。温度20~30度，湿度40~60%。这是**“重点”**的意思，~~旧价：~~新价。**마크다운(Markdown)**은 쉽다. *「強調」*です。

Use <tag> and \`Vec<String>\` here, see https://example.org/a。然后 $5 and $10.`,
  `1. First
  1. with two blanks
  2. and again
2. Second
    - with four
        - and eight
3. Third
   \`\`\`sh
   cargo xtask run # sets up
   \`\`\`

- [x] done
- [ ] open`,
  `Gauge | Place | Level
:-- | :-- | --:
G-01 | Pier \`3|4\` | 2.15 m
G-02 | **Lock** | $x_2$ m<br>low
G-03 | 码头 | 1.98 m`,
  `For $ax^2 + bx + c = 0$ with $a \\neq 0$, 则 \\(x_{1,2}\\) 为

$$
x_{1,2} = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}
$$

\\[
f(x) = \\begin{cases} x^2 & \\text{当 } x \\ge 0 \\\\ \\left|\\frac{x}{2}\\right| & \\text{否则} \\end{cases}
\\]

$$\\underbrace{1 + 2 + \\dots + n}_{n \\text{ terms}} = \\sum_{k=1}^{n} k, \\quad \\vec{v} \\cdot \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$$

A formula that cannot be read: $\\frac{a$ and $\\href{javascript:x}{y}$.`,
  `\`\`\`python
@cached
def level(gauge: str, at: int = 3) -> float:
    """The level in metres."""
    return READINGS[gauge][at] / 100.0  # cm
\`\`\`

\`\`\`rust
#[derive(Debug)]
pub struct Turn<'a> { name: &'a str, n: u32 }
impl Turn<'_> { fn ask(&self) -> Option<String> { None } }
\`\`\`

\`\`\`diff
- old line
+ new line
\`\`\`

\`\`\`json
{ "a": [1, true, null], "b": "x" }
\`\`\`

\`\`\`html
<a href="x" class="y">go</a> <!-- not a link -->
\`\`\`

\`\`\`yaml
name: tests # all
on: [push]
\`\`\``,
  `> A quote with **bold**
goes on
> > and one in it

---

### Title
[A link](https://example.org) and ![a picture](x.png), \`code\`.`,
];

export const RECEIPT: ReceiptEntry[] = [
  { outcome: 'changed', operation: 'edit', path: 'tickets.csv', lines: 1 },
  { outcome: 'not_changed', operation: 'edit', path: 'notes/run.md' },
  { outcome: 'refused', operation: 'delete', path: 'old/list.md' },
  { outcome: 'failed', operation: 'append', path: 'log.md' },
];

export const MARKS: Mark[] = [
  { kind: 'nothing_changed' },
  { kind: 'not_given', texts: ['2015 cm'] },
  { kind: 'perhaps_not_in_files', texts: ['9:40', 'pier 3'] },
];

export const PROBE: Probe = {
  letters: [
    { letter: 'A', label: 'a question that the files can answer', probability: 0.8712 },
    { letter: 'B', label: 'a change of a file', probability: 0.124 },
    { letter: 'C', label: 'talk', probability: 0.004 },
  ],
  offered: ['read_file', 'search_text'],
};
