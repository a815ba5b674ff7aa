import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogging } from './logging.ts';
import type { LoggingSettings, LogSink } from './settings.ts';

let directory: string;
let files = 0;
const newPath = () => join(directory, 'logs', `${files++}.log`);
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tessera-logging-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const settings = (more: Partial<LoggingSettings>): LoggingSettings => ({
  level: 'info',
  format: 'json',
  components: [],
  sinks: null,
  ...more,
});
const fileSink = (path: string, level: LogSink['level'] = null): LogSink => ({
  type: 'file',
  level,
  file: { path },
});
const lines = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('levels', () => {
  it.each<[string, Partial<LoggingSettings>, LogSink['level'], string[]]>([
    ['a sink takes the global level', {}, null, ['info', 'warn']],
    ['a sink can be quieter', {}, 'warn', ['warn']],
    ['a sink can be more talkative', {}, 'debug', ['debug', 'info', 'warn']],
    [
      'a component can be more talkative',
      { components: [{ name: 'http', level: 'debug' }] },
      null,
      ['debug', 'info', 'warn'],
    ],
    ['a component can be quieter', { components: [{ name: 'http', level: 'warn' }] }, null, ['warn']],
    [
      'a quiet component is quiet in a talkative sink',
      { components: [{ name: 'http', level: 'warn' }] },
      'debug',
      ['warn'],
    ],
    [
      'a quiet sink hears no talkative component',
      { components: [{ name: 'http', level: 'debug' }] },
      'warn',
      ['warn'],
    ],
    [
      'levels of other components do not count',
      { components: [{ name: 'kernel', level: 'fatal' }] },
      null,
      ['info', 'warn'],
    ],
  ])('%s', async (_, more, sinkLevel, expected) => {
    const path = newPath();
    const logging = createLogging(settings({ ...more, sinks: [fileSink(path, sinkLevel)] }));
    const log = logging.logger('http');
    for (const level of ['trace', 'debug', 'info', 'warn'] as const) log[level](level);
    await logging.close();
    expect(lines(path).map((l) => l.level)).toEqual(expected);
  });

  it('each sink filters for itself', async () => {
    const [all, few] = [newPath(), newPath()];
    const logging = createLogging(settings({ sinks: [fileSink(all, 'trace'), fileSink(few, 'error')] }));
    logging.logger('http').trace('small');
    logging.logger('http').error('big');
    await logging.close();
    expect([lines(all).length, lines(few).length]).toEqual([2, 1]);
  });
});

describe('lines', () => {
  it('carry time, level, component, the fields of the node and the causes of errors', async () => {
    const path = newPath();
    const logging = createLogging(settings({ sinks: [fileSink(path)] }), { fields: { node: 3 } });
    logging
      .logger('http')
      .child({ queryId: 'q' })
      .warn({ err: new Error('outer', { cause: new Error('inner') }) }, 'm');
    await logging.close();
    expect(lines(path)).toEqual([
      {
        level: 'warn',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        component: 'http',
        node: 3,
        queryId: 'q',
        err: expect.objectContaining({
          message: 'outer: inner',
          stack: expect.stringContaining('caused by'),
        }),
        msg: 'm',
      },
    ]);
  });

  it('are readable as text', async () => {
    const path = newPath();
    const logging = createLogging(settings({ format: 'text', sinks: [fileSink(path)] }));
    logging.logger('http').info({ port: 80 }, 'listening');
    await logging.close();
    expect(readFileSync(path, 'utf8')).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\] INFO: http: listening \{"port":80\}\n$/,
    );
  });

  it('hold no secrets', async () => {
    const path = newPath();
    const logging = createLogging(settings({ sinks: [fileSink(path)] }));
    const log = logging.logger('http');
    log.info({ headers: { Authorization: 'Bearer s3cret' }, user: [{ password: 's3cret', name: 'a' }] }, 'm');
    log.child({ access_token: 's3cret' }).info('with Bearer s3cret.s3cret and https://u:s3cret@host/');
    log.error({ err: new Error('key -----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY----- end') });
    log.info({
      client_secret: 'a "quoted" s3cret',
      privateKey: 's3cret',
      clusterToken: 's3cret',
      tokens: 12,
    });
    log.info({ err: Object.assign(new Error('e'), { headers: { cookie: 's3cret' } }) });
    await logging.close();
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('s3cret');
    expect(text).toContain('"name":"a"');
    expect(text).toContain(' end');
    expect(text).toContain('"tokens":12');
  });
});

describe('files', () => {
  it('are reopened for rotation without losing a line', async () => {
    const path = newPath();
    const logging = createLogging(settings({ sinks: [fileSink(path)] }));
    const log = logging.logger('http');
    log.info('one');
    renameSync(path, `${path}.1`);
    log.info('two');
    logging.reopen();
    log.info('three');
    await logging.close();
    await expect.poll(() => lines(`${path}.1`).map((l) => l.msg)).toEqual(['one', 'two']);
    expect(lines(path).map((l) => l.msg)).toEqual(['three']);
  });

  it('stay in use when they cannot be reopened', async () => {
    const path = newPath();
    const logging = createLogging(settings({ sinks: [fileSink(path)] }));
    logging.logger('http').info('one');
    renameSync(path, `${path}.1`);
    mkdirSync(path);
    logging.reopen();
    logging.logger('http').info('two');
    await logging.close();
    expect(lines(`${path}.1`).map((l) => l.level)).toEqual(['info', 'error', 'info']);
  });

  it('receive a fatal line immediately, and none after the end', async () => {
    const path = newPath();
    const logging = createLogging(settings({ sinks: [fileSink(path)] }));
    logging.logger('http').info('before');
    logging.logger('http').fatal('the end');
    // The previous line may still be in a write that the fatal line does not wait for.
    expect(lines(path).map((l) => l.msg)).toContain('the end');
    await logging.close();
    logging.logger('http').fatal('after');
    logging.reopen();
    await logging.close();
    expect(
      lines(path)
        .map((l) => l.msg)
        .toSorted(),
    ).toEqual(['before', 'the end']);
  });

  it('fail the start when they cannot be written', () => {
    expect(() => createLogging(settings({ sinks: [fileSink(directory)] }))).toThrow('EISDIR');
  });
});
