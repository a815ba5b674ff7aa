import { describePage } from './described-page.ts';
import { PAGES } from './pages.ts';

PAGES.guides.forEach(describePage);
