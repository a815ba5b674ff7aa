import { XMLBuilder, XMLParser } from 'fast-xml-parser';

const builder = new XMLBuilder({ ignoreAttributes: false });
/** Keys are parsed as texts even if they look like numbers; elements that may occur several times are lists. */
const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'Object' || name === 'Part',
});

/** Renders a document with the root element `root`. */
export const xml = (root: string, content: object): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: content })}`;

/** @throws S3Failure if the document has another root element */
export function parseXml<T>(root: string, document: string): T {
  const parsed = parser.parse(document) as Record<string, T | undefined>;
  const found = parsed[root];
  if (found === undefined || found === null || typeof found !== 'object') {
    throw new S3Failure('MalformedXML', `The body is not a document ${root}`);
  }
  return found;
}

/** The error codes of the S3 protocol with their HTTP status. */
const STATUS = {
  AccessDenied: 403,
  BucketAlreadyOwnedByYou: 409,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidPart: 400,
  InvalidRange: 416,
  MalformedXML: 400,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  NotModified: 304,
  PreconditionFailed: 412,
} as const;

type S3ErrorCode = keyof typeof STATUS;

/** An error response. */
export class S3Failure extends Error {
  readonly code: S3ErrorCode;

  constructor(code: S3ErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

export const preconditionFailed = (): S3Failure =>
  new S3Failure('PreconditionFailed', 'At least one of the preconditions you specified did not hold');
