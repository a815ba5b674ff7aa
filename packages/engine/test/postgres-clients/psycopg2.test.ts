import { describePython } from './python.ts';

describePython({ title: 'psycopg2', module: 'psycopg2', program: 'psycopg2_client.py' });
