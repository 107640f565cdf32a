import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** Imports go one way: features → parts, features → state → ipc; view is pure and knows none of them. */
const layer = (files, forbidden, message) => ({
  files: [`src/${files}/**/*.{ts,svelte}`],
  rules: {
    'no-restricted-imports': ['error', { patterns: [{ regex: forbidden, message }, TAURI] }],
  },
});
const TAURI = { regex: '^@tauri-apps/', message: 'Only src/ipc knows the shell.' };

/** Markup is made of nodes, so that no text of a model can become a part of the page. */
const SINKS = ['innerHTML', 'outerHTML', 'srcdoc'].map((name) => ({
  selector: `MemberExpression[property.name='${name}']`,
  message: `${name} turns text into markup.`,
}));
SINKS.push(
  ...['insertAdjacentHTML', 'write', 'writeln', 'createContextualFragment', 'parseFromString'].map((name) => ({
    selector: `CallExpression[callee.property.name='${name}']`,
    message: `${name} turns text into markup.`,
  })),
);

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'src/ipc/generated/'] },
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      'svelte/no-at-html-tags': 'error',
      // Maps and sets here are values that are replaced, or never shown.
      'svelte/prefer-svelte-reactivity': 'off',
      'no-restricted-syntax': ['error', ...SINKS],
    },
  },
  {
    files: ['src/**/*.{ts,svelte}'],
    ignores: ['src/ipc/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [TAURI] }] },
  },
  layer('view', '/(state|parts|features|ipc/(?!generated))', 'view is pure: it knows only the generated types.'),
  layer('state', '/(parts|features)/', 'state knows view and ipc.'),
  layer('parts', '/(state|features|ipc/(?!generated))', 'a part takes props and gives callbacks.'),
  layer(
    'features/list',
    '/ipc/(?!generated)|/features/|\\.\\./(conversation|panel|palette|settings|assistants|memories|library|tray)/',
    'features do not import each other.',
  ),
  layer(
    'features/conversation',
    '/ipc/(?!generated)|/features/|\\.\\./(list|panel|palette|settings|assistants|memories|library|tray)/',
    'features do not import each other.',
  ),
  layer(
    'features/panel',
    '/ipc/(?!generated)|/features/|\\.\\./(list|conversation|palette|settings|assistants|memories|library|tray)/',
    'features do not import each other.',
  ),
  layer(
    'features/palette',
    '/ipc/(?!generated)|/features/|\\.\\./(list|conversation|panel|settings|assistants|memories|library|tray)/',
    'features do not import each other.',
  ),
  layer(
    'features/assistants',
    '/ipc/(?!generated)|/features/|\\.\\./(list|conversation|panel|palette|settings|memories|library|tray)/',
    'features do not import each other.',
  ),
  layer(
    'features/memories',
    '/ipc/(?!generated)|/features/|\\.\\./(list|conversation|panel|palette|settings|assistants|library|tray)/',
    'features do not import each other.',
  ),
  layer(
    'features/library',
    '/ipc/(?!generated)|/features/|\\.\\./(list|conversation|panel|palette|settings|assistants|memories|tray)/',
    'features do not import each other.',
  ),
  layer(
    'features/tray',
    '/ipc/(?!generated)|/features/|\\.\\./(list|conversation|panel|palette|settings|assistants|memories|library)/',
    'features do not import each other.',
  ),
  layer(
    'features/settings',
    '/ipc/(?!generated)|/features/|\\.\\./(list|conversation|panel|palette|assistants|memories|library|tray)/',
    'features do not import each other.',
  ),
);
