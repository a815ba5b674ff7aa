import { describePython } from './python.ts';

describePython({ title: 'asyncpg', module: 'asyncpg', program: 'asyncpg_client.py' });
