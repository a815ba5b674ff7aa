import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { BILL, readBill } from './bill-of-materials.ts';
import { npmManifest } from './manifest.ts';
import { writeProgram } from './program.ts';

/**
 * The files of the workspace that are packed unchanged: pages without their pictures, and the files that pages
 * query.
 */
const PAGES = ['LICENSE', '{README,CHANGELOG,THIRD_PARTY}.md', 'docs/**/*.{md,json}', 'examples/*'];

/**
 * Packs the npm package. It needs installed packages, but no network: what the package depends on is in the committed bill of
 * materials.
 * @param folder gets the tarball and the bill of materials
 * @returns the path of the tarball
 */
export async function packProgram(workspace: string, folder: string): Promise<string> {
  const bill = readBill(workspace);
  const content = mkdtempSync(join(tmpdir(), 'tessera-package-'));
  try {
    await writeProgram(workspace, content);
    writeFileSync(
      join(content, 'package.json'),
      `${JSON.stringify(npmManifest(workspace, bill), null, 2)}\n`,
    );
    for (const file of globSync(PAGES, { cwd: workspace })) place(join(workspace, file), join(content, file));
    place(join(workspace, BILL), join(content, basename(BILL)));
    place(join(import.meta.dirname, 'bin/tessera.js'), join(content, 'bin/tessera.js'));
    mkdirSync(folder, { recursive: true });
    place(join(workspace, BILL), join(folder, basename(BILL)));
    const args = ['pack', content, '--pack-destination', folder, '--json', '--ignore-scripts', '--offline'];
    const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 1 << 26 })) as {
      filename: string;
    }[];
    return join(folder, packed!.filename);
  } finally {
    rmSync(content, { recursive: true });
  }
}

function place(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target);
}
