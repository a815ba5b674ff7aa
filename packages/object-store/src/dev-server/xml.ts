import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { S3Failure } from './s3-failure.ts';

const builder = new XMLBuilder({ ignoreAttributes: false });
/** Keys are texts, also when they look like numbers; what may come more than once is a list. */
const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'Object' || name === 'Part',
});

/** A document with the root element `root`. */
export const xml = (root: string, content: object): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: content })}`;

/** @throws S3Failure where the document has no such root */
export function parseXml<T>(root: string, document: string): T {
  const parsed = parser.parse(document) as Record<string, T | undefined>;
  const found = parsed[root];
  if (found === undefined || found === null || typeof found !== 'object') {
    throw new S3Failure('MalformedXML', `The body is not a document ${root}`);
  }
  return found;
}
