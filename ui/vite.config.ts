import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  // The window is loaded from its own origin, and its policy forbids whatever is inline.
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts', 'dev/**/*.test.ts'],
    setupFiles: ['dev/test-setup.ts'],
    // The whole window takes its time to appear on a busy machine.
    testTimeout: 30_000,
  },
});
