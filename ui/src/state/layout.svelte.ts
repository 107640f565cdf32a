import type { SettingsView } from '../ipc/generated/types';

export type Tab = 'plan' | 'request' | 'audit';
/** What fills the middle of the window. */
export type PageName = 'conversation' | 'assistants' | 'memories' | 'library' | 'models';
export const TABS: Tab[] = ['plan', 'request', 'audit'];

export const LIST = { least: 180, usual: 232, most: 400 };
export const PANEL = { least: 300, usual: 372, most: 720 };
/** The least that is left for the conversation. */
const READABLE = 360;
/** Below this width of the window, the panel slides over the conversation. */
export const NARROW = 1100;

/** Which columns are there, and how wide. */
export class Layout {
  listWidth = $state(LIST.usual);
  panelWidth = $state(PANEL.usual);
  isListOpen = $state(true);
  isPanelOpen = $state(true);
  isNarrow = $state(false);
  #width = $state(Infinity);
  /** The most that the panel may take beside the list, so that the conversation stays readable. */
  readonly panelMost = $derived.by(() =>
    this.isNarrow ? PANEL.most : within(this.#width - (this.isListOpen ? this.listWidth : 0) - READABLE, PANEL),
  );
  /** The panel's width as it is shown; what was chosen comes back with the room. */
  readonly panelShown = $derived.by(() => Math.min(this.panelWidth, this.panelMost));
  tab = $state<Tab>('plan');
  page = $state<PageName>('conversation');
  /** Whether the panel is seen: what is behind an answer has no place beside another page. */
  readonly isPanelShown = $derived(this.isPanelOpen && this.page === 'conversation');
  isPaletteOpen = $state(false);
  isSettingsOpen = $state(false);
  isServerOpen = $state(false);
  isFindOpen = $state(false);
  /** Counts up when the find bar's field is to have the focus. */
  findCalls = $state(0);

  restore({ listWidth, panelWidth }: SettingsView): void {
    if (listWidth) this.listWidth = within(listWidth, LIST);
    if (panelWidth) this.panelWidth = within(panelWidth, PANEL);
    this.isListOpen = listWidth !== 0;
    this.isPanelOpen = !this.isNarrow && panelWidth !== 0;
  }

  /** The window's width changed. A panel that would cover the conversation is closed, and comes back with the room. Returns whether it did. */
  fit(width: number): boolean {
    this.#width = width;
    const isNarrow = width < NARROW;
    if (isNarrow === this.isNarrow) return false;
    this.isNarrow = isNarrow;
    this.isPanelOpen = !isNarrow;
    return this.isPanelOpen;
  }

  show(tab: Tab): void {
    this.page = 'conversation';
    this.tab = tab;
    this.isPanelOpen = true;
  }

  resizeList(width: number): void {
    this.listWidth = within(width, LIST);
  }

  resizePanel(width: number): void {
    this.panelWidth = Math.min(within(width, PANEL), this.panelMost);
  }

  /** As it is saved: 0 is a folded column. */
  get saved(): Pick<SettingsView, 'listWidth' | 'panelWidth'> {
    return {
      listWidth: this.isListOpen ? Math.round(this.listWidth) : 0,
      panelWidth: this.isPanelOpen || this.isNarrow ? Math.round(this.panelWidth) : 0,
    };
  }
}

function within(width: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, width));
}
