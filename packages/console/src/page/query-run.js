import { readAnswer } from './answer.js';

/**
 * @typedef {{ name: string, file: File }} Part
 * @typedef {{ finished: Promise<import('./answer.js').Answer>, cancel(): void, wasRefused(): boolean }} QueryRun
 */

/** The engine ends this format after 10,000 rows, so that no result can fill the browser's memory. */
export const ROW_LIMIT = 10_000;

/**
 * Sends a statement and the files it names. It uses XMLHttpRequest because fetch does not report upload progress.
 * @param {string} sql @param {Part[]} parts @param {Record<string, string>} headers credentials of the user
 * @param {(sentFraction: number) => void} onUpload
 * @returns {QueryRun}
 */
export function runQuery(sql, parts, headers, onUpload) {
  const id = newQueryId();
  const request = new XMLHttpRequest();
  const url = new URL('./', document.baseURI);
  url.search = new URLSearchParams({ output_format: 'JSON_CompactLimited', query_id: id }).toString();
  request.open('POST', url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  const finished = new Promise((resolve) => {
    request.onloadend = () =>
      resolve(
        readAnswer(
          request.status,
          request.responseText,
          request.getResponseHeader('X-Tessera-Affected-Rows'),
        ),
      );
  });
  if (parts.length === 0) {
    request.setRequestHeader('Content-Type', 'text/plain; charset=utf-8');
    request.send(sql);
  } else {
    request.upload.onprogress = (event) => onUpload(event.loaded / event.total);
    const form = new FormData();
    form.append('sql', sql);
    for (const { name, file } of parts) form.append(name, file, file.name);
    request.send(form);
  }
  return { finished, cancel: () => cancel(id, request, headers), wasRefused: () => request.status === 401 };
}

/**
 * The engine is told before the connection ends: it may be set to let a statement run on without its client.
 * @param {string} id @param {XMLHttpRequest} request @param {Record<string, string>} headers
 */
async function cancel(id, request, headers) {
  const url = new URL('./cancel', document.baseURI);
  url.searchParams.set('query_id', id);
  // Whatever the engine answers (a query still uploading is unknown to it), the request ends.
  await fetch(url, { method: 'POST', headers }).catch(() => undefined);
  request.abort();
}

/** A random UUID; `crypto.randomUUID` exists only where the page came over https or from this machine. */
function newQueryId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
