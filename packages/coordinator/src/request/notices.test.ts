import { describe, expect, it } from 'vitest';
import { type Notice, Notices } from './notices.ts';

describe('Notices', () => {
  it('are sent to the listener once each', () => {
    const notices = new Notices();
    const heard: Notice[] = [];
    notices.listen((notice) => heard.push(notice));
    notices.notice('a');
    notices.warn('a', { resolution: 'do b' });
    notices.notice('a');
    expect(heard).toEqual([
      { severity: 'NOTICE', sqlState: '00000', message: 'a' },
      { severity: 'WARNING', sqlState: '01000', message: 'a', resolution: 'do b' },
    ]);
    expect(notices.all).toEqual(heard);
  });

  it('keep a bounded number', () => {
    const notices = new Notices();
    for (let i = 0; i < 1000; i += 1) notices.notice(`notice ${i}`);
    expect(notices.all).toHaveLength(100);
  });
});
