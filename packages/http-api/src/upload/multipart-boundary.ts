import { fail } from '@tessera/common';
import { type ParameterizedValue, parseParameterizedValue } from './header-parameters.ts';

/** The boundary syntax of RFC 2046: up to 70 characters, not ending in a space. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/**
 * The boundary of a `multipart/form-data` request. Throws BAD_UPLOAD if the Content-Type does not contain a
 * valid one.
 */
export function multipartBoundary(contentType: string): string {
  const { value, parameters } = parseContentType(contentType);
  if (value !== 'multipart/form-data')
    fail('BAD_UPLOAD', { reason: `Content-Type "${value}" is not multipart/form-data` });
  const boundary = parameters.get('boundary');
  if (boundary === undefined || boundary === '')
    fail('BAD_UPLOAD', { reason: 'the Content-Type multipart/form-data has no boundary' });
  if (!BOUNDARY.test(boundary))
    fail('BAD_UPLOAD', { reason: 'the boundary in the Content-Type is not one that RFC 2046 allows' });
  return boundary;
}

function parseContentType(contentType: string): ParameterizedValue {
  try {
    return parseParameterizedValue(contentType);
  } catch (cause) {
    return fail('BAD_UPLOAD', { reason: `Content-Type: ${(cause as Error).message}` }, { cause });
  }
}
