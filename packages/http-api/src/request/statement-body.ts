import type { IncomingMessage } from 'node:http';
import { TesseraError } from '@tessera/common';
import type { RequestDirectory, UploadedFile } from '@tessera/coordinator';
import { decodePlainBody, receiveUpload, type UploadLimits } from '../upload/index.ts';

export interface StatementBody {
  readonly sql: string;
  readonly uploads: ReadonlyMap<string, UploadedFile>;
}

/**
 * Receives the statement of a request and its files. Of the content types only `multipart/form-data` matters:
 * clients send raw SQL under any type.
 * @throws TesseraError BAD_REQUEST, BAD_UPLOAD, UNSUPPORTED_CODING, UPLOAD_TOO_LARGE, DISK_FULL,
 * CLIENT_TOO_SLOW
 */
export async function receiveStatement(
  request: IncomingMessage,
  options: {
    directory: RequestDirectory;
    limits: UploadLimits;
    localFileKey?: string | undefined;
    signal: AbortSignal;
  },
): Promise<StatementBody> {
  const contentType = request.headers['content-type'] ?? '';
  const coding = request.headers['content-encoding'];
  const { limits, localFileKey, signal } = options;
  if (!/^\s*multipart\//i.test(contentType)) {
    const sql = await decodePlainBody(request, coding, { limits, signal });
    return { sql, uploads: new Map() };
  }
  if (coding !== undefined) {
    throw TesseraError.of('BAD_REQUEST', {
      message: `A multipart request must not have a Content-Encoding of its own ("${coding}"): give each part its own`,
    });
  }
  const directory = await options.directory.open();
  const upload = await receiveUpload(request, contentType, { directory, limits, localFileKey, signal });
  return { sql: upload.sql, uploads: upload.files };
}
