import { accessHeaders, accessRefused } from './access.ts';
import { type Answer, readAnswer } from './answer.ts';
import { followHeaders, session } from './session.ts';

/** A file that travels with a statement, which reads it as `upload://<name>`. */
export interface Part {
  readonly name: string;
  readonly file: Blob;
}

/** The id by which a query is found among the running ones, and cancelled. */
export type QueryId = string & { readonly __brand: 'QueryId' };

export interface Sent {
  readonly id: QueryId;
  readonly finished: Promise<Answer>;
  cancel(): void;
}

/** The engine ends this format after 10,000 rows, so that no result can fill the browser's memory. */
export const ROW_LIMIT = 10_000;

/**
 * Sends a statement and the files it names, in the session of the user. It uses XMLHttpRequest because fetch does not
 * report upload progress.
 */
export function send(sql: string, parts: readonly Part[], onUpload: (sentFraction: number) => void): Sent {
  const id = newQueryId();
  const request = new XMLHttpRequest();
  request.open('POST', queryUrl({ ...session.value, output_format: 'JSON_CompactLimited', query_id: id }));
  for (const [name, value] of Object.entries(accessHeaders())) request.setRequestHeader(name, value);
  const finished = new Promise<Answer>((resolve) => {
    request.onloadend = () => {
      const header = (name: string) => request.getResponseHeader(name);
      if (request.status === 401) accessRefused();
      else followHeaders(header);
      resolve(readAnswer(request.status, request.responseText, header));
    };
  });
  request.upload.onprogress = (event) => onUpload(event.loaded / event.total);
  if (parts.length === 0) request.setRequestHeader('Content-Type', 'text/plain; charset=utf-8');
  request.send(bodyOf(sql, parts));
  return { id, finished, cancel: () => void cancelQuery(id).then(() => request.abort()) };
}

/** Asks the engine to end a query. Whatever it answers (a query still uploading is unknown to it) is no failure. */
export async function cancelQuery(id: QueryId): Promise<void> {
  const url = new URL('./cancel', document.baseURI);
  url.searchParams.set('query_id', id);
  await fetch(url, { method: 'POST', headers: accessHeaders() }).catch(() => undefined);
}

/** The whole result of a statement in a format for files. @throws the engine's description */
export async function fetchResult(sql: string, parts: readonly Part[], format: string): Promise<Blob> {
  const response = await post({ ...session.value, output_format: format }, sql, parts);
  if (!response.ok) throw problem(readAnswer(response.status, await response.text()));
  return response.blob();
}

/**
 * The rows of a query of the console itself, outside the session of the user.
 * @throws the engine's description
 */
export async function ask<Row = Record<string, unknown>>(
  sql: string,
  parameters: Readonly<Record<string, string>> = {},
  parts: readonly Part[] = [],
): Promise<Row[]> {
  const response = await post({ ...parameters, output_format: 'JSON' }, sql, parts);
  const text = await response.text();
  if (response.status === 401) accessRefused();
  if (!response.ok) throw problem(readAnswer(response.status, text));
  return JSON.parse(text).data;
}

const problem = (answer: Answer): Error =>
  new Error(answer.kind === 'failed' ? answer.failures[0]?.description : 'The answer is not a result.');

function post(
  parameters: Readonly<Record<string, string>>,
  sql: string,
  parts: readonly Part[],
): Promise<Response> {
  const url = queryUrl(parameters);
  return fetch(url, { method: 'POST', headers: accessHeaders(), body: bodyOf(sql, parts) });
}

function bodyOf(sql: string, parts: readonly Part[]): string | FormData {
  if (parts.length === 0) return sql;
  const form = new FormData();
  form.append('sql', sql);
  for (const { name, file } of parts) form.append(name, file, name);
  return form;
}

function queryUrl(parameters: Readonly<Record<string, string>>): URL {
  const url = new URL('./', document.baseURI);
  url.search = new URLSearchParams(parameters).toString();
  return url;
}

/** A random UUID; `crypto.randomUUID` exists only where the page came over https or from this machine. */
function newQueryId(): QueryId {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as QueryId;
}
