/** Formulas as MathML. Temml builds nodes; what it may build is checked here once more before it becomes a part of the page. */
const MATHML = 'http://www.w3.org/1998/Math/MathML';
export const MATHS_ELEMENTS = new Set([
  ...[
    'math',
    'menclose',
    'mfrac',
    'mi',
    'mmultiscripts',
    'mn',
    'mo',
    'mover',
    'mpadded',
    'mphantom',
    'mprescripts',
    'mroot',
  ],
  ...['mrow', 'ms', 'mspace', 'msqrt', 'mstyle', 'msub', 'msubsup', 'msup', 'mtable', 'mtd', 'mtext', 'mtr', 'munder'],
  ...['munderover', 'none', 'span'],
]);
const ATTRIBUTES = new Set([
  ...[
    'accent',
    'class',
    'columnalign',
    'columnlines',
    'columnspacing',
    'columnspan',
    'depth',
    'display',
    'displaystyle',
    'fence',
  ],
  ...[
    'form',
    'frame',
    'height',
    'largeop',
    'linebreak',
    'linethickness',
    'lspace',
    'mathbackground',
    'mathcolor',
    'mathsize',
  ],
  ...[
    'mathvariant',
    'maxsize',
    'minsize',
    'movablelimits',
    'notation',
    'rowlines',
    'rowspacing',
    'rspace',
    'scriptlevel',
  ],
  ...['separator', 'stretchy', 'symmetric', 'voffset', 'width', 'accentunder', 'style'],
]);
/** A longer formula, or one that makes more nodes, is shown as its source. */
const LONGEST = 8000;
const MOST_NODES = 5000;
const KEPT = 300;

type Drawn = Promise<Element | null>;
const known = new Map<string, Drawn>();

/** The formula, `null` where it cannot be read. What draws it is loaded with the first one. */
export function drawn(tex: string, isDisplay: boolean): Drawn {
  const key = `${isDisplay ? 'display' : 'line'} ${tex}`;
  const before = known.get(key);
  if (before) return before;
  const formula = draw(tex, isDisplay);
  known.set(key, formula);
  for (const oldest of known.keys()) {
    if (known.size <= KEPT) break;
    known.delete(oldest);
  }
  return formula;
}

async function draw(tex: string, isDisplay: boolean): Drawn {
  if (tex.length > LONGEST) return null;
  try {
    const [{ default: temml }] = await Promise.all([import('temml'), import('./maths.css')]);
    const place = document.createElement('span');
    temml.render(tex, place, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      maxExpand: 500,
      maxSize: [50, 50],
      macros: {},
    });
    const formula = place.firstElementChild;
    return formula && isAllowed(formula) ? formula : null;
  } catch {
    // A formula that cannot be read, however that shows, stays as it was written.
    return null;
  }
}

/** Takes away what a formula need not have, and says whether the rest is made of the elements of formulas. */
function isAllowed(formula: Element): boolean {
  const all = [formula, ...formula.querySelectorAll('*')];
  if (all.length > MOST_NODES) return false;
  for (const element of all) {
    const isKnown = MATHS_ELEMENTS.has(element.localName);
    if (!isKnown || (element.namespaceURI !== MATHML && element.localName !== 'span')) return false;
    for (const { name, value } of [...element.attributes])
      if (!ATTRIBUTES.has(name) || /url|image|:\/\//i.test(value)) element.removeAttribute(name);
  }
  return true;
}
