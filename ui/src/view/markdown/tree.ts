/** Markdown as a tree that a page can be built of. It has no node for raw markup, so none can be made. */
export type Block =
  | { type: 'paragraph'; children: Inline[] }
  | { type: 'heading'; level: number; children: Inline[] }
  | { type: 'code'; language: string; text: string; isOpen: boolean }
  | { type: 'maths'; tex: string; isOpen: boolean }
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
  | { type: 'maths'; tex: string; isDisplay: boolean }
  | { type: 'link'; url: string; children: Inline[] }
  | { type: 'image'; url: string; text: string }
  | { type: 'break' };

/** What `[label]: address` lines say, by the label in lower case. */
export type Definitions = Map<string, string>;
