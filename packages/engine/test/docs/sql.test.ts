import { describePage } from './described-page.ts';
import { PAGES } from './pages.ts';

PAGES.sql.forEach(describePage);
