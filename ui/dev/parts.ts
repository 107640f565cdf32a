import { mount } from 'svelte';
import '../src/base.css';
import '../src/tokens.css';
import Parts from './Parts.svelte';

/** Parts of the window with samples in them, for `node dev/look.mjs`. `?theme=light|dark`, `&language=en|zh`. */
const wishes = new URLSearchParams(location.search);
document.documentElement.dataset['theme'] = wishes.get('theme') ?? 'light';
document.body.style.overflow = 'auto';
const target = document.getElementById('parts');
const language = wishes.get('language') === 'zh' ? 'zh' : 'en';
if (target) mount(Parts, { target, props: { language } });
