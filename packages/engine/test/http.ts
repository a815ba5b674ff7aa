import type { TesseraProcess } from './tessera-process.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; the tests check the parts that they expect. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test asserts
  json<T = Record<string, any>>(): T;
}

type Server = Pick<TesseraProcess, 'url'>;
type Params = Readonly<Record<string, string>>;

/** Sends one statement as a plain body. */
export const query = (
  server: Server,
  sql: string,
  params: Params = {},
  headers: Params = {},
): Promise<Answer> => post(server, sql, params, headers);

/** Sends one statement and its files as `multipart/form-data`. */
export function upload(
  server: Server,
  sql: string,
  files: Readonly<Record<string, Blob>>,
  params: Params = {},
): Promise<Answer> {
  const form = new FormData();
  form.append('sql', sql);
  for (const [name, blob] of Object.entries(files)) form.append(name, blob, name);
  return post(server, form, params, {});
}

async function post(
  server: Server,
  body: string | FormData,
  params: Params,
  headers: Params,
): Promise<Answer> {
  const response = await send(server, body, params, headers);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

function send(
  server: Server,
  body: string | FormData,
  params: Params,
  headers: Params = {},
): Promise<Response> {
  const url = new URL(server.url);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return fetch(url, { method: 'POST', body, headers });
}

/** The result of a statement as a file. @throws with the server's answer if the statement fails */
export async function resultFile(server: Server, output_format: string, sql: string): Promise<Blob> {
  const response = await send(server, sql, { output_format });
  if (response.status !== 200) throw new Error(await response.text());
  return response.blob();
}

/** The rows of a statement as JSON values. @throws with the server's description if it fails */
export async function rows(
  server: Server,
  sql: string,
  files?: Readonly<Record<string, Blob>>,
): Promise<unknown[][]> {
  const params = { output_format: 'JSON_Compact' };
  const answer =
    files === undefined ? await query(server, sql, params) : await upload(server, sql, files, params);
  const body = answer.json();
  if (answer.status !== 200) throw new Error(body.message);
  return body.data;
}
