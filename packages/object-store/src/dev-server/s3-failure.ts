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

/** An answer other than success. */
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
