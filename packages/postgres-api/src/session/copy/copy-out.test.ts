import { type CopyTextFormat, defaultCopyFormat } from '@tessera/common';
import { expect, it } from 'vitest';
import { copyDataMessages, lineEnds } from './copy-out.ts';

const CSV = defaultCopyFormat('csv');

function rows(text: string, options: CopyTextFormat): string[] {
  const messages = copyDataMessages(Buffer.from(text), lineEnds(options));
  const found: string[] = [];
  for (let at = 0; at < messages.length; at += 1 + messages.readInt32BE(at + 1)) {
    found.push(messages.toString('utf8', at + 5, at + 1 + messages.readInt32BE(at + 1)));
  }
  return found;
}

it('every row is a message, also one with newlines in quotes', () => {
  const lines = ['1,"a\nb"\n', '2,"say ""x\n"""\n', '\n', '3,plain\n'];
  expect(rows(lines.join(''), CSV)).toEqual(lines);
  const escaped = ['1,"a\\"\nb"\n', '2,"\\\\"\n', '3,x\n'];
  expect(rows(escaped.join(''), { ...CSV, escape: '\\' })).toEqual(escaped);
  expect(rows('a\tb"\n"\n', { ...CSV, format: 'text' })).toEqual(['a\tb"\n', '"\n']);
  expect(rows('', CSV)).toEqual([]);
});
