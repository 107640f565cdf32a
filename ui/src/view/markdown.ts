import { Lexer, type Token, type Tokens } from 'marked';

/** Markdown as a tree that a page can be built of. It has no node for raw markup, so none can be made. */
export type Block =
  | { type: 'paragraph'; children: Inline[] }
  | { type: 'heading'; level: number; children: Inline[] }
  | { type: 'code'; language: string; text: string }
  | { type: 'quote'; children: Block[] }
  | { type: 'list'; isOrdered: boolean; start: number; items: Item[] }
  | { type: 'table'; head: Cell[]; rows: Cell[][] }
  | { type: 'rule' };

export interface Item {
  /** `null` where the item has no box. */
  isChecked: boolean | null;
  children: Block[];
}

export interface Cell {
  align: 'left' | 'center' | 'right' | null;
  children: Inline[];
}

export type Inline =
  | { type: 'text'; text: string }
  | { type: 'strong' | 'emphasis' | 'struck'; children: Inline[] }
  | { type: 'code'; text: string }
  | { type: 'link'; url: string; children: Inline[] }
  | { type: 'image'; url: string; text: string }
  | { type: 'break' };

/** The tree of a text. */
export function read(text: string): Block[] {
  return new Reader().read(text);
}

/** Reads a text that grows. One path for a finished answer and for one that still arrives: the text is read as a whole each time,
 * and what reads the same as before is the same value, so that only the end of the page is drawn anew. */
export class Reader {
  #read: { raw: string; blocks: Block[] }[] = [];
  #definitions = '';

  read(text: string): Block[] {
    const tokens = Lexer.lex(text, { gfm: true });
    // A definition further down changes what a link further up means.
    const definitions = JSON.stringify(tokens.links);
    const known = definitions === this.#definitions ? this.#read : [];
    this.#read = tokens.map((token, at) => {
      const before = known[at];
      return before?.raw === token.raw ? before : { raw: token.raw, blocks: blocksOf([token]) };
    });
    this.#definitions = definitions;
    return this.#read.flatMap(({ blocks }) => blocks);
  }
}

function blocksOf(tokens: Token[]): Block[] {
  return tokens.flatMap((token): Block[] => {
    switch (token.type) {
      case 'space':
      case 'def':
        return [];
      case 'heading':
        return [{ type: 'heading', level: (token as Tokens.Heading).depth, children: inlinesOf(token.tokens) }];
      case 'code':
        return [{ type: 'code', language: (token as Tokens.Code).lang ?? '', text: (token as Tokens.Code).text }];
      case 'blockquote':
        return [{ type: 'quote', children: blocksOf(token.tokens ?? []) }];
      case 'hr':
        return [{ type: 'rule' }];
      case 'list':
        return [listOf(token as Tokens.List)];
      case 'table':
        return [tableOf(token as Tokens.Table)];
      case 'paragraph':
      case 'text':
        return [{ type: 'paragraph', children: token.tokens ? inlinesOf(token.tokens) : plain(token.raw) }];
      // Markup in a text is a text that looks like markup.
      default:
        return token.raw.trim() === '' ? [] : [{ type: 'paragraph', children: plain(token.raw) }];
    }
  });
}

function listOf(list: Tokens.List): Block {
  return {
    type: 'list',
    isOrdered: list.ordered,
    start: typeof list.start === 'number' ? list.start : 1,
    items: list.items.map((item) => ({
      isChecked: item.task ? (item.checked ?? false) : null,
      children: blocksOf(item.tokens.filter((token) => token.type !== 'checkbox')),
    })),
  };
}

function tableOf(table: Tokens.Table): Block {
  const cell = (cell: Tokens.TableCell): Cell => ({ align: cell.align, children: inlinesOf(cell.tokens) });
  return { type: 'table', head: table.header.map(cell), rows: table.rows.map((row) => row.map(cell)) };
}

function inlinesOf(tokens: Token[] | undefined): Inline[] {
  return (tokens ?? []).flatMap((token): Inline[] => {
    switch (token.type) {
      case 'strong':
        return [{ type: 'strong', children: inlinesOf(token.tokens) }];
      case 'em':
        return [{ type: 'emphasis', children: inlinesOf(token.tokens) }];
      case 'del':
        return [{ type: 'struck', children: inlinesOf(token.tokens) }];
      case 'codespan':
        return [{ type: 'code', text: (token as Tokens.Codespan).text }];
      case 'br':
        return [{ type: 'break' }];
      case 'link':
        return [{ type: 'link', url: (token as Tokens.Link).href, children: inlinesOf(token.tokens) }];
      case 'image':
        return [{ type: 'image', url: (token as Tokens.Image).href, text: (token as Tokens.Image).text }];
      case 'escape':
        return plain((token as Tokens.Escape).text);
      case 'text':
        return token.tokens ? inlinesOf(token.tokens) : plain((token as Tokens.Text).text);
      case 'checkbox':
        return [];
      default:
        return plain(token.raw);
    }
  });
}

function plain(text: string): Inline[] {
  return [{ type: 'text', text }];
}
