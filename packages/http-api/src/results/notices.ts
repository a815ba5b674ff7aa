import type { ServerResponse } from 'node:http';
import type { Notice, RunningQuery } from '@tessera/coordinator';

/**
 * The limit keeps the header below what clients accept for all headers together; JSON answers contain all
 * notices.
 */
const MAX_HEADER_CHARACTERS = 4096;

const noticeEntry = ({ sqlState, severity, message, resolution }: Notice) => ({
  code: sqlState,
  severity,
  description: message,
  ...(resolution !== undefined && { resolution }),
});

/** The member `warnings` of a JSON answer, which is absent if there are no notices. */
export function warningsMember({ notices: { all } }: RunningQuery): object {
  return all.length === 0 ? {} : { warnings: all.map(noticeEntry) };
}

/** Sets `X-Tessera-Warnings`, a JSON array in ASCII, on answers of every format. */
export function setNoticeHeader(response: ServerResponse, { notices }: RunningQuery): void {
  const entries: string[] = [];
  let characters = 2;
  for (const notice of notices.all) {
    const entry = asciiJson(noticeEntry(notice));
    characters += entry.length + 1;
    if (characters > MAX_HEADER_CHARACTERS) break;
    entries.push(entry);
  }
  if (entries.length > 0) response.setHeader('X-Tessera-Warnings', `[${entries.join(',')}]`);
}

const asciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
