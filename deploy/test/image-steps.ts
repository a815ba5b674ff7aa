import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyBuildContext, WORKSPACE } from './build-context.ts';
import { argumentsOf, parseDockerfile } from './dockerfile.ts';

export const DOCKERFILE = parseDockerfile(readFileSync(join(WORKSPACE, 'deploy/image/Dockerfile'), 'utf8'));
export const LAST_STAGE = DOCKERFILE.stages.at(-1)!;

/**
 * Builds the image with plain commands.
 * @param directory gets the build context and a directory for each stage
 * @returns the directory with the files that the image adds to its base
 */
export function buildImage(directory: string): string {
  const context = join(directory, 'context');
  copyBuildContext(context);
  runStages(context, directory);
  const root = join(directory, 'root');
  for (const { text } of LAST_STAGE.instructions.filter(({ word }) => word === 'COPY')) {
    const [source, target, stage] = copied(text);
    const to = join(root, target);
    mkdirSync(dirname(to), { recursive: true });
    if (stage === 'node') copyFileSync(process.execPath, to);
    else renameSync(join(directory, stage!, source), to);
  }
  return root;
}

/**
 * Runs the commands of the stages, each stage in a directory of its own. This machine stands in for their base
 * images, and npm uses its cache.
 */
function runStages(context: string, directory: string): void {
  for (const stage of DOCKERFILE.stages.filter(({ instructions }) =>
    instructions.some(({ word }) => word === 'RUN'),
  )) {
    const env = {
      ...process.env,
      PATH: `${join(WORKSPACE, 'node_modules/.bin')}:${process.env.PATH}`,
      npm_config_prefer_offline: 'true',
      ...Object.fromEntries(argumentsOf(stage.instructions)),
    };
    const image = join(directory, stage.name!);
    let place = image;
    for (const { word, text } of stage.instructions) {
      if (word === 'WORKDIR') {
        place = join(image, text);
        mkdirSync(place, { recursive: true });
      } else if (word === 'RUN') execFileSync('sh', ['-c', text], { cwd: place, env, stdio: 'pipe' });
      else if (word === 'COPY') {
        const [source, target, other] = copied(text);
        cpSync(join(other === undefined ? context : join(directory, other), source), join(place, target), {
          recursive: true,
        });
      } else if (word !== 'ARG') throw new Error(`this test does not know ${word}`);
    }
  }
}

/** Returns source and target of a COPY, and the stage from which it copies. */
function copied(text: string): [string, string, string | undefined] {
  const [source, target] = text.replaceAll(/--\S+\s+/g, '').split(' ') as [string, string];
  return [source, target, /--from=(\S+)/.exec(text)?.[1]];
}
