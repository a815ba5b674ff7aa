import { render } from 'preact';
import { App } from './shell/app.tsx';

// The browser paints the header, which the page has already, before the rest is computed.
requestAnimationFrame(() => setTimeout(() => render(<App />, document.body)));
