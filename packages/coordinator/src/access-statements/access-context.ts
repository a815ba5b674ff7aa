import type { ChangeContext } from '../changes/change-context.ts';

/** What statements about users, roles and grants have to work with. */
export type AccessContext = Pick<ChangeContext, 'user' | 'database' | 'rights' | 'credential'>;
