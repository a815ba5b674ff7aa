import { describePython } from './python.ts';

describePython({ title: 'peewee', module: 'peewee', program: 'peewee_client.py' });
