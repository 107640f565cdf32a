import { flushSync, mount, unmount } from 'svelte';
import Markdown from './Markdown.svelte';

const LABELS = { copyCode: 'Copy', copyLink: (url: string) => url, image: (text: string) => text };

/** The component with a text in it; `done` takes it away. */
export function shown(text: string, isGrowing = false): { root: HTMLElement; done: () => void } {
  const root = document.createElement('div');
  const component = mount(Markdown, {
    target: root,
    props: { text, isGrowing, labels: LABELS, oncopy: () => undefined },
  });
  flushSync();
  return { root, done: () => void unmount(component) };
}

/** What a text looks like, in short: elements without classes and controls, formulas by their source. */
export function markupOf(text: string, isGrowing = false): string {
  const { root, done } = shown(text, isGrowing);
  const markup = within(root.querySelector('.markdown') ?? root);
  done();
  return markup;
}

function within(node: Node): string {
  return [...node.childNodes].map(one).join('');
}

function one(node: Node): string {
  // Between blocks stand blanks of the template that nobody sees.
  const isBetween = node.parentElement?.localName === 'li' && node.nodeValue === ' ';
  if (node.nodeType === Node.TEXT_NODE) return isBetween ? '' : (node.nodeValue ?? '');
  if (!(node instanceof HTMLElement)) return '';
  const { classList } = node;
  if (classList.contains('maths')) {
    const block = classList.contains('display') ? ' block' : '';
    return `<maths${block}>${node.querySelector('.source')?.textContent ?? ''}</maths>`;
  }
  if (classList.contains('code')) {
    const language = node.querySelector('.bar span')?.textContent ?? '';
    return `<pre${language && ` ${language}`}>${node.querySelector('pre')?.textContent ?? ''}</pre>`;
  }
  if (classList.contains('heading')) {
    const level = node.getAttribute('aria-level') ?? '';
    return `<h${level}>${within(node)}</h${level}>`;
  }
  if (classList.contains('link')) return `<link ${node.title}>${within(node)}</link>`;
  const name = node.localName;
  if (['div', 'span', 'thead', 'tbody'].includes(name)) return within(node);
  const start = node.getAttribute('start');
  const said = start !== null && start !== '1' ? ` start=${start}` : '';
  const align = [...classList].find((word) => ['left', 'center', 'right'].includes(word));
  if (['br', 'hr'].includes(name)) return `<${name}>`;
  return `<${name}${said}${name.startsWith('t') && align ? ` ${align}` : ''}>${within(node)}</${name}>`;
}
