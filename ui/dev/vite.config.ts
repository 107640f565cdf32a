import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The window on a fake backend, for looking at it in a browser. Nothing in this folder is part of the product. */
export default defineConfig({
  root: 'dev',
  plugins: [svelte({ configFile: '../svelte.config.js' })],
  server: { port: 5199, strictPort: true, fs: { allow: ['..'] } },
});
