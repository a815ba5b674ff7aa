export { type ConsolePage, consolePage } from './console-page.ts';
