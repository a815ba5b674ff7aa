import { resolve } from 'node:path';
import { LOG_COMPONENTS, nearestName } from '@tessera/common';
import { repeats } from './repeats.ts';
import { breachIf, type Path, type Rule } from './rule.ts';

const SINKS = ['logging', 'sinks'];

/** Rule 14: `file` is required for type file and forbidden for the others. */
export const fileSinksHaveAFile: Rule = ({ config: { logging } }) =>
  (logging.sinks ?? []).flatMap((sink, index) => {
    const at: Path = [...SINKS, index];
    return [
      ...breachIf(sink.type === 'file' && sink.file === null, [...at, 'file'], 'is required for type file', [
        [...at, 'type'],
      ]),
      ...breachIf(
        sink.type === 'stderr' && sink.file !== null,
        [...at, 'file'],
        'must be absent for type stderr',
        [[...at, 'type']],
      ),
    ];
  });

export const sinksDoNotShareAFile: Rule = ({ config: { logging } }) =>
  repeats(logging.sinks ?? [], (sink) => sink.file && resolve(sink.file.path)).map(({ index, first }) => ({
    path: [...SINKS, index, 'file', 'path'],
    message: `is already the file of sinks[${first}]`,
    because: [[...SINKS, first, 'file', 'path']],
  }));

export const componentsExist: Rule = ({ config: { logging } }) =>
  logging.components.flatMap(({ name }, index) => {
    const names = Object.keys(LOG_COMPONENTS);
    const near = nearestName(name, names);
    const hint = near === undefined ? `known: ${names.join(', ')}` : `did you mean ${near}?`;
    return breachIf(
      !names.includes(name),
      ['logging', 'components', index, 'name'],
      `unknown component ${JSON.stringify(name)} (${hint})`,
    );
  });

export const componentsAreNamedOnce: Rule = ({ config: { logging } }) =>
  repeats(logging.components, (component) => component.name).map(({ index, first }) => ({
    path: ['logging', 'components', index, 'name'],
    message: `is already the name of components[${first}]`,
    because: [['logging', 'components', first, 'name']],
  }));
