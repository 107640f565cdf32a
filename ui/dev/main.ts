import { mount } from 'svelte';
import App from '../src/App.svelte';
import '../src/base.css';
import '../src/tokens.css';
import { Fake } from './fake';

/** `?state=first|missing|loading|usual`, `&theme=`, `&language=`, `&speed=` (1 is as in life). */
const wishes = new URLSearchParams(location.search);
const fake = new Fake({
  state: wishes.get('state') ?? 'usual',
  theme: (wishes.get('theme') ?? 'system') as 'system',
  language: (wishes.get('language') ?? 'system') as 'system',
  speed: Number(wishes.get('speed') ?? '1'),
});
const target = document.getElementById('window');
if (target) mount(App, { target, props: { backend: fake.backend } });
