import { mount } from 'svelte';
import App from './App.svelte';
import './tokens.css';
import './base.css';
import { tauri } from './ipc/tauri';

const target = document.getElementById('window');
if (target) mount(App, { target, props: { backend: tauri } });
