import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  BOUNDARY,
  bodyOf,
  failureOf,
  filePart,
  part,
  receive,
  received,
  sqlPart,
} from './multipart-fixture.ts';

const text = (body: string): Buffer => Buffer.from(body, 'latin1');

describe('accepted requests', () => {
  it('takes the SQL part before, between and after the files', async () => {
    const parts = [filePart('a', 'A'), filePart('b', 'B')];
    for (const at of [0, 1, 2]) {
      const body = bodyOf(...parts.toSpliced(at, 0, sqlPart('SELECT 1')));
      const { sql, files } = await received(body);
      expect(sql).toBe('SELECT 1');
      expect(files).toEqual({ a: Buffer.from('A'), b: Buffer.from('B') });
    }
  });

  it('gives the same result wherever the body is divided, and byte by byte', async () => {
    const tricky = text(`\r\n--${BOUNDARY.slice(0, -1)}\r\r\n\r\n--${BOUNDARY}x\r\n--\r`);
    const body = bodyOf(filePart('tricky', tricky), sqlPart('SELECT 1'), filePart('empty', ''));
    const expected = { sql: 'SELECT 1', files: { tricky, empty: Buffer.alloc(0) } };
    for (let cut = 1; cut < body.length; cut++)
      expect(await received(Readable.from([body.subarray(0, cut), body.subarray(cut)]))).toEqual(expected);
    expect(await received(body, { pieces: 1 })).toEqual(expected);
  });

  it('returns any content unchanged, wherever it is divided', async () => {
    // Pieces of the delimiter make near misses likely.
    const content = fc
      .array(
        fc.oneof(
          fc.uint8Array({ maxLength: 20 }),
          fc.constantFrom('\r', '\n', '\r\n', '--', `\r\n--${BOUNDARY.slice(0, 5)}`, `--${BOUNDARY}`),
        ),
      )
      .map((pieces) => Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))))
      .filter(
        (bytes) => !bytes.includes(`\r\n--${BOUNDARY}`) && !bytes.subarray(0, 20).includes(`--${BOUNDARY}`),
      );
    await fc.assert(
      fc.asyncProperty(content, content, fc.integer({ min: 1, max: 90 }), async (a, b, pieces) => {
        const body = bodyOf(filePart('a', a), sqlPart('SELECT 1'), filePart('b', b));
        expect(await received(body, { pieces })).toEqual({ sql: 'SELECT 1', files: { a, b } });
      }),
      { numRuns: 150 },
    );
  });

  it('reads a local file in place only for callers that have the key', async () => {
    const file = new URL(import.meta.url).pathname;
    const external = (key: string, path = file) =>
      bodyOf(
        sqlPart('SELECT 1'),
        filePart(
          'here',
          'content',
          `Content-Type: message/external-body; access-type=local-file; name="${encodeURIComponent(path)}"; key="${key}"`,
        ),
      );
    const localFileKey = 'a'.repeat(64);
    expect((await received(external(localFileKey), { localFileKey })).files).toEqual({
      here: readFileSync(file),
    });
    for (const key of ['', 'b'.repeat(64), 'a'.repeat(63)])
      expect((await received(external(key), { localFileKey })).files).toEqual({
        here: Buffer.from('content'),
      });
    expect((await received(external('undefined'))).files).toEqual({ here: Buffer.from('content') });
    expect((await received(external(''))).files).toEqual({ here: Buffer.from('content') });
    // An empty key is none.
    expect((await received(external(''), { localFileKey: '' })).files).toEqual({
      here: Buffer.from('content'),
    });
    const directory = await mkdtemp(join(tmpdir(), 'tessera-links-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'target.csv'), 'linked');
    await symlink('target.csv', join(directory, 'link.csv'));
    const linked = external(localFileKey, join(directory, 'link.csv'));
    expect((await received(linked, { localFileKey })).files).toEqual({ here: Buffer.from('linked') });
    expect(await failureOf(receive(external(localFileKey, '/nowhere'), { localFileKey }))).toMatch(
      /no such file/,
    );
    expect(await failureOf(receive(external(localFileKey, '/'), { localFileKey }))).toMatch(/is not a file/);
  });

  it('accepts headers in any case, order and quoting, and ignores the filename', async () => {
    const body = bodyOf(
      part(
        ['content-type: text/csv', 'CONTENT-DISPOSITION:form-data;filename="C:\\dir\\a;b.csv" ; NAME=plain'],
        'x',
      ),
      part(['Content-Disposition: form-data; filename="\\"q\\".csv"; name="a.b-c_1"', 'X-Other: ü'], 'y'),
      part(
        [
          'Content-Disposition: form-data;',
          ' name="folded"; filename=""',
          'Content-Transfer-Encoding: Binary',
        ],
        'z',
      ),
      part(
        ['Content-Disposition: form-data; name="sql"; filename="q.sql"', 'Content-Encoding: identity'],
        'SELECT 1',
      ),
    );
    const { sql, files } = await received(body);
    expect(sql).toBe('SELECT 1');
    expect(Object.keys(files)).toEqual(['plain', 'a.b-c_1', 'folded']);
  });

  it('accepts a preamble, an epilogue, padding after boundaries and no final line end', async () => {
    const body = Buffer.concat([
      text('preamble\r\n'),
      text(
        `--${BOUNDARY} \t\r\nContent-Disposition: form-data; name="sql"\r\n\r\nSELECT 1\r\n--${BOUNDARY}--`,
      ),
    ]);
    for (const tail of ['', '\r\n', ' \r\nepilogue', '\n']) {
      const { sql } = await received(Buffer.concat([body, text(tail)]), { pieces: 3 });
      expect(sql).toBe('SELECT 1');
    }
  });

  it('accepts a quoted boundary with parameters around it', async () => {
    const contentType = `Multipart/Form-Data; charset=utf-8; BOUNDARY="${BOUNDARY}"; x=y`;
    expect((await received(bodyOf(sqlPart('SELECT 1')), { contentType })).sql).toBe('SELECT 1');
  });

  it('accepts UTF-8 SQL, with or without a byte order mark', async () => {
    expect((await received(bodyOf(sqlPart("SELECT 'grün 🌲'")))).sql).toBe("SELECT 'grün 🌲'");
    expect((await received(bodyOf(sqlPart('\ufeffSELECT 1')))).sql).toBe('SELECT 1');
  });

  it('accepts a filename in any encoding', async () => {
    const latin1 = Buffer.from(
      'Content-Disposition: form-data; name="a"; filename="gr\xfcn"\r\n\r\n',
      'latin1',
    );
    const body = bodyOf(sqlPart('1'), Buffer.concat([text(`--${BOUNDARY}\r\n`), latin1, text('A\r\n')]));
    expect((await received(body)).files).toEqual({ a: Buffer.from('A') });
  });

  it('never uses a part name as a file name', async () => {
    const body = bodyOf(
      filePart('..', 'up'),
      filePart('.', 'here'),
      filePart('__proto__', 'p'),
      sqlPart('SELECT 1'),
    );
    const { files } = await receive(body);
    expect([...files.keys()]).toEqual(['..', '.', '__proto__']);
    for (const { path } of files.values()) expect(path).toMatch(/\/tessera-upload-test-[^/]+\/\d+$/);
  });
});

describe('refused requests', () => {
  const refused: [what: string, body: Buffer, message: string][] = [
    ['no sql part', bodyOf(filePart('a', 'A')), 'BAD_UPLOAD: there is no part named "sql"'],
    ['no part', bodyOf(), 'BAD_UPLOAD: there is no part named "sql"'],
    [
      'two sql parts',
      bodyOf(sqlPart('1'), sqlPart('2')),
      'BAD_UPLOAD: there is more than one part named "sql"',
    ],
    [
      'a name used twice',
      bodyOf(filePart('a', '1'), filePart('a', '2')),
      'BAD_UPLOAD: Part "a": there is more than one part of this name',
    ],
    [
      'a bad name',
      bodyOf(filePart('a/b', '1')),
      'BAD_UPLOAD: part 1: its name "a/b" is not made of letters, digits, "_", "." and "-" only',
    ],
    ['an empty name', bodyOf(sqlPart('1'), filePart('', '1')), 'BAD_UPLOAD: part 2: its name "" is not'],
    [
      'a file without filename',
      bodyOf(part(['Content-Disposition: form-data; name="SQL"'], '1')),
      'BAD_UPLOAD: Part "SQL": a file part needs a filename',
    ],
    [
      'no Content-Disposition',
      bodyOf(part(['Content-Type: text/csv'], '1')),
      'BAD_UPLOAD: part 1: it has no Content-Disposition header',
    ],
    ['no headers', bodyOf(part([], '1')), 'BAD_UPLOAD: part 1: it has no Content-Disposition header'],
    [
      'two Content-Dispositions',
      bodyOf(sqlPart('1', 'Content-Disposition: form-data; name="b"')),
      'BAD_UPLOAD: part 1: it has more than one Content-Disposition header',
    ],
    [
      'no name',
      bodyOf(part(['Content-Disposition: form-data; filename="a"'], '1')),
      'BAD_UPLOAD: part 1: its Content-Disposition has no name',
    ],
    [
      'an attachment',
      bodyOf(part(['Content-Disposition: attachment; name="a"'], '1')),
      'BAD_UPLOAD: part 1: its Content-Disposition is "attachment", not "form-data"',
    ],
    [
      'a parameter given twice',
      bodyOf(part(['Content-Disposition: form-data; name=a; name=b'], '1')),
      'BAD_UPLOAD: part 1: Content-Disposition: parameter "name" stands twice',
    ],
    [
      'an open quote',
      bodyOf(part(['Content-Disposition: form-data; name="a'], '1')),
      'BAD_UPLOAD: part 1: Content-Disposition: malformed parameter at ""a"',
    ],
    [
      'a header without colon',
      bodyOf(sqlPart('1', 'nonsense')),
      'BAD_UPLOAD: part 1: malformed header line "nonsense"',
    ],
    ['a control character', bodyOf(sqlPart('1', 'X: a\u0000b')), 'BAD_UPLOAD: part 1: malformed header line'],
    [
      'nested multipart',
      bodyOf(filePart('a', '1', 'Content-Type: multipart/mixed; boundary=x')),
      'BAD_UPLOAD: Part "a": a part may not be multipart itself',
    ],
    [
      'a transfer encoding',
      bodyOf(filePart('a', '1', 'Content-Transfer-Encoding: base64')),
      'BAD_UPLOAD: Part "a": Content-Transfer-Encoding "base64" is not taken',
    ],
    [
      'an unknown coding',
      bodyOf(filePart('a', '1', 'Content-Encoding: bzip2')),
      'UNSUPPORTED_CODING: Part "a": unknown Content-Encoding "bzip2" (supported: gzip, deflate, br, xz, zstd, lz4, snappy)',
    ],
    [
      'two codings',
      bodyOf(filePart('a', '1', 'Content-Encoding: gzip, zstd')),
      'BAD_UPLOAD: Part "a": Content-Encoding "gzip, zstd" names several codings; one is allowed',
    ],
    [
      'two coding headers',
      bodyOf(filePart('a', '1', 'Content-Encoding: gzip', 'Content-Encoding: br')),
      'BAD_UPLOAD: Part "a": Content-Encoding "gzip,br" names several codings',
    ],
    [
      'SQL that is not UTF-8',
      bodyOf(sqlPart(text('SELECT \xff'))),
      'INVALID_ENCODING: invalid byte sequence for encoding "UTF8": 0xff (in the statement)',
    ],
    [
      'an empty body',
      Buffer.alloc(0),
      'BAD_UPLOAD: the multipart body ends early: before its first boundary',
    ],
    [
      'another boundary',
      text('--other\r\n\r\n--other--\r\n'),
      'BAD_UPLOAD: the multipart body ends early: before its first boundary',
    ],
    [
      'line feeds only',
      text(`--${BOUNDARY}\nContent-Disposition: form-data; name=sql\n\n1\n--${BOUNDARY}--\n`),
      'BAD_UPLOAD: the multipart body ends early',
    ],
    [
      'an endless preamble',
      Buffer.alloc(70_000, 'x'),
      'BAD_UPLOAD: more than 64 KiB before the first boundary',
    ],
    [
      'an endless epilogue',
      Buffer.concat([bodyOf(sqlPart('1')), Buffer.alloc(70_000)]),
      'BAD_UPLOAD: more than 64 KiB after the last boundary',
    ],
  ];
  it.each(refused)('%s', async (_what, body, message) => {
    expect(await failureOf(receive(body, { pieces: 1000 }))).toContain(message);
  });

  it.each([
    ['application/json', 'Content-Type "application/json" is not multipart/form-data'],
    ['multipart/mixed; boundary=a', 'Content-Type "multipart/mixed" is not multipart/form-data'],
    ['multipart/form-data', 'the Content-Type multipart/form-data has no boundary'],
    ['multipart/form-data; boundary=""', 'the Content-Type multipart/form-data has no boundary'],
    [
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
      'the boundary in the Content-Type is not one that RFC 2046 allows',
    ],
    ['multipart/form-data; boundary="a', 'Content-Type: malformed parameter at ""a"'],
  ])('the content type %s', async (contentType, message) => {
    expect(await failureOf(receive(Buffer.alloc(0), { contentType }))).toBe(`BAD_UPLOAD: ${message}`);
  });

  it('every truncated body', async () => {
    const body = bodyOf(filePart('a', 'A,B\r\n'), sqlPart('SELECT 1'));
    const whole = body.length - '\r\n'.length;
    for (let length = 0; length < whole; length++)
      expect(await failureOf(receive(body.subarray(0, length)))).toContain(
        'BAD_UPLOAD: the multipart body ends early',
      );
    expect((await receive(body.subarray(0, whole))).sql).toBe('SELECT 1');
  });
});
