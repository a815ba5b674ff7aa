import { describePython } from './python.ts';

describePython({ title: 'Django', module: 'django', program: 'django_client.py' });
