import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CHART, hasHelm, helm, type Manifest } from './helm.ts';
import { mismatchesOf } from './references.ts';
import { faultsOf } from './strict-validation.ts';

const ROOT = join(CHART, '../../..');
const page = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text!);
const commands = blocks('sh').flatMap((text) => text.split('\n').filter((line) => line.startsWith('helm ')));

describe.skipIf(!hasHelm)(
  'the page (skipped where helm is neither on the path nor named by TESSERA_HELM)',
  () => {
    it.each(blocks('yaml').flatMap((values) => commands.map((line): [string, string] => [line, values])))(
      '%s: with values of the page makes what Kubernetes takes',
      async (line, values) => {
        const directory = await mkdtemp(join(tmpdir(), 'tessera-page-'));
        onTestFinished(() => rm(directory, { recursive: true }));
        await writeFile(join(directory, 'values.yaml'), values);
        const [, , release, , ...flags] = line.split(/\s+/);
        const places = flags.map((flag) => {
          if (flag === 'values.yaml') return join(directory, flag);
          return flag.startsWith('deploy/') ? join(ROOT, flag) : flag;
        });
        const text = helm('template', release!, CHART, '--kube-version', '1.33.0', ...places);
        const manifests = parseAllDocuments(text).flatMap((one) => (one.toJS() as Manifest | null) ?? []);
        expect(manifests.flatMap(faultsOf)).toEqual([]);
        expect(mismatchesOf(manifests)).toEqual([]);
      },
    );

    it('has commands and values', () => {
      expect(commands).toHaveLength(4);
      expect(blocks('yaml')).toHaveLength(2);
    });

    it('names only values that exist', () => {
      const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
      // `tls.crt` and `tls.key` are names in secrets.
      const named = [...page.matchAll(/`((?:[a-z]+[A-Z]?\w*)(?:\.(?!crt|key)\w+)+)`/g)].map(([, path]) =>
        path!.split('.'),
      );
      const unknown = named
        .filter(([first]) => first !== undefined && first in schema.properties && first !== 'config')
        .filter((path) => {
          let at = schema;
          for (const part of path) at = at?.properties?.[part] ?? (at?.additionalProperties ? {} : undefined);
          return at === undefined;
        });
      expect(unknown).toEqual([]);
    });
  },
);
