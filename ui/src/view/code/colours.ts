import type { createLowlight } from 'lowlight';
import { LANGUAGES, languageOf } from './languages';

/** A stretch of code of one colour. */
export interface Piece {
  text: string;
  colour: Colour | null;
}
export type Colour = 'keyword' | 'text' | 'number' | 'name' | 'type' | 'comment' | 'meta' | 'added' | 'removed';

/** A longer text stays without colours, so that none makes the page wait. */
const LONGEST = 40_000;

/** What the grammars call things, and the few colours there are for them. */
const COLOURS: Record<string, Colour> = {
  keyword: 'keyword',
  literal: 'keyword',
  operator: 'keyword',
  'selector-tag': 'keyword',
  string: 'text',
  regexp: 'text',
  char: 'text',
  link: 'text',
  'meta-string': 'text',
  number: 'number',
  symbol: 'number',
  bullet: 'number',
  title: 'name',
  section: 'name',
  name: 'name',
  'selector-id': 'name',
  'selector-class': 'name',
  type: 'type',
  class: 'type',
  built_in: 'type',
  attr: 'type',
  attribute: 'type',
  property: 'type',
  variable: 'type',
  'template-variable': 'type',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  meta: 'meta',
  tag: 'meta',
  'template-tag': 'meta',
  addition: 'added',
  deletion: 'removed',
};

type Lowlight = ReturnType<typeof createLowlight>;
type Tree = ReturnType<Lowlight['highlight']>;
type Node = Tree['children'][number];
let lowlight: Promise<Lowlight> | null = null;

/** The code in colours; `null` where its language has none. What colours it is loaded when it is first met. */
export async function coloured(language: string, text: string): Promise<Piece[] | null> {
  const name = languageOf(language);
  if (!name || text.length > LONGEST) return null;
  try {
    const painter = await loaded(name);
    return joined(painter.highlight(name, text).children, null);
  } catch {
    // A grammar that fails on a text leaves it as it is.
    return null;
  }
}

async function loaded(name: string): Promise<Lowlight> {
  lowlight ??= import('lowlight').then(({ createLowlight }) => createLowlight());
  const [painter, grammar] = await Promise.all([lowlight, LANGUAGES[name]?.()]);
  if (grammar && !painter.registered(name)) painter.register(name, grammar.default);
  return painter;
}

function joined(nodes: Node[], outer: Colour | null): Piece[] {
  return nodes.flatMap((node): Piece[] => {
    if (node.type === 'text') return [{ text: node.value, colour: outer }];
    return node.type === 'element' ? joined(node.children, colourOf(node.properties['className']) ?? outer) : [];
  });
}

function colourOf(classes: unknown): Colour | null {
  const first: unknown = Array.isArray(classes) ? classes[0] : null;
  const name = typeof first === 'string' ? first.replace(/^hljs-/, '') : '';
  return Object.hasOwn(COLOURS, name) ? (COLOURS[name] ?? null) : null;
}
