import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parameters } from '../parameters.ts';
import { parseConfig } from '../parse.ts';
import { configurationPage } from './configuration-page.ts';
import { configurationJsonSchema } from './json-schema.ts';

const validate = new Ajv2020({ strict: false }).compile(configurationJsonSchema());

/** Whether both the schema and the program accept a file; they must agree. */
function taken(text: string): boolean {
  const file = `schema_version: "1.0"\n${text}`;
  const bySchema = validate(parse(file));
  let byProgram = true;
  try {
    parseConfig(file, 'f', {
      FOUR: '4',
      HALF: '0.5',
      YES: 'true',
      LONG: '2m',
      LEVEL: 'WARN',
      SINK: 'stderr',
    });
  } catch {
    byProgram = false;
  }
  expect(bySchema, `${text}: ${JSON.stringify(validate.errors)}`).toBe(byProgram);
  return bySchema;
}

describe('the JSON Schema', () => {
  it.each([
    '',
    'logging: {level: WARN, format: Text, sinks: [{type: stderr, level: null}, {type: file, file: {path: x}, level: Debug}]}',
    'engine: {nodes: null, auto_vacuum: {enabled: true, memory_allowance: null}, max_server_memory_usage: 1.5 gib}',
    'engine: {max_server_memory_usage: 5, termination_grace_period: 1.5h, nodes: [{host: a}]}',
    'engine: null\nlogging: {sinks: null, components: null}',
    'storage: {api_scheme: null, aws: null, upload_max_tries: null}',
    'instance: {id: 01jtessera0000000000000000}',
    'execution: {hybrid_headers_primary_index_compression_method: BROTLI}',
    `execution: {max_threads: "\${env:FOUR}"}`,
    `engine: {termination_grace_period: "\${env:LONG}", auto_vacuum: {enabled: "\${env:YES}", memory_allowance: "\${env:HALF}"}}`,
    `logging: {level: "\${env:LEVEL}", sinks: [{type: "\${env:SINK}"}]}`,
  ])('accepts %j', (text) => {
    expect(taken(text)).toBe(true);
  });

  it.each([
    'engine: {nods: null}',
    'engine: {termination_grace_period: 5}',
    'engine: {max_server_memory_usage: 5XB}',
    'engine: {nodes: [{}]}',
    'execution: {max_threads: "4"}',
    'execution: {max_threads: 1.5}',
    `execution: {max_threads: "4\${env:FOUR}"}`,
    `engine: "\${env:FOUR}"`,
    `engine: {nodes: "\${env:FOUR}"}`,
    'execution: {hybrid_headers_format_version: 4}',
    'logging: {level: loud}',
    'instance: {id: 1JTESSERA}',
    'storage: {api_scheme: "ftp://"}',
    'endpoints: {http: {listeners: [{type: tcp, port: 65536}]}}',
  ])('refuses %j', (text) => {
    expect(taken(text)).toBe(false);
  });

  it('requires the version', () => {
    expect(validate({})).toBe(false);
    expect(validate({ schema_version: '2.0' })).toBe(false);
  });
});

describe('the page', () => {
  it('shows valid files', () => {
    const examples = [...configurationPage().matchAll(/^```yaml\n(.*?)^```/gms)].map((m) => m[1]!);
    expect(examples).toHaveLength(4);
    const environment = { ADMIN_PASSWORD: 'secret', TESSERA_MEMORY: '2GiB', TESSERA_THREADS: '4' };
    for (const example of examples) expect(() => parseConfig(example, 'example', environment)).not.toThrow();
  });

  it('has a row of six cells for every parameter', () => {
    const rows = configurationPage()
      .split('\n')
      .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
      .filter((cells) => cells.length === 8);
    for (const { path } of parameters())
      expect(rows.filter((cells) => cells[1] === `\`${path}\``)).toHaveLength(1);
  });
});
