import { describePages } from './described-page.ts';
import { PAGES } from './pages.ts';

describePages(PAGES.sql);
