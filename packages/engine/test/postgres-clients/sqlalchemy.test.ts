import { describePython } from './python.ts';

describePython({ title: 'SQLAlchemy', module: 'sqlalchemy', program: 'sqlalchemy_client.py' });
